package io.waterwheel.sql.duckdb;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DuckDB's driver with its native code beside it. The driver's jar has that code, 70 MB, and unpacks it at each start
 * of a process, which is half of what a start takes. Here it is unpacked once, into a folder that outlives the process.
 *
 * @param jar the driver's classes
 * @param nativeFolder where the JVM finds the native code; null where the driver unpacks its own
 */
record DuckDbLibrary(Path jar, @Nullable Path nativeFolder) {
    /**
     * System property: a folder in which the native code may be kept, for all processes to come. Who may write to it
     * may run code in the server. Without it the driver unpacks its own.
     */
    static final String FOLDER = "waterwheel.duckdb.folder";

    /** How the driver asks the JVM for its native code when its jar has none. */
    private static final String NAME = "duckdb_java";

    /** How the jar names it, before system and processor. */
    private static final String PREFIX = "libduckdb_java.so_";

    private static final Logger LOG = LoggerFactory.getLogger(DuckDbLibrary.class);

    /**
     * What a process is to start with: the driver's jar itself where nothing is kept, or cannot be.
     *
     * @param folder in which it is kept; empty for none
     */
    static DuckDbLibrary of(Path jar, String folder) {
        if (folder.isEmpty()) {
            return new DuckDbLibrary(jar, null);
        }
        try {
            return kept(jar, Path.of(folder));
        } catch (IOException e) {
            LOG.warn("DuckDB's library is not kept in {}: each of its processes unpacks its own", folder, e);
            return new DuckDbLibrary(jar, null);
        }
    }

    /**
     * What is kept of a jar in a folder; it is unpacked when it is not there. Any number of processes may do so at
     * once.
     *
     * @throws IOException when the jar cannot be read, or the folder not be written
     */
    static DuckDbLibrary kept(Path jar, Path folder) throws IOException {
        try (ZipFile driver = new ZipFile(jar.toFile())) {
            ZipEntry code = driver.getEntry(entry());
            if (code == null) {
                return new DuckDbLibrary(jar, null);
            }
            // By its sum, and the jar's length: another version has a folder of its own.
            Path place = folder.resolve(Long.toHexString(code.getCrc()) + '-' + Files.size(jar))
                    .toAbsolutePath();
            if (!isWhole(place, driver, code)) {
                unpack(driver, code, folder, place);
            }
            return new DuckDbLibrary(classes(place), place);
        }
    }

    /** The native code in the driver's jar, for this machine. */
    static String entry() {
        return PREFIX + system() + '_' + processor();
    }

    private static Path classes(Path place) {
        return place.resolve("duckdb.jar");
    }

    private static Path code(Path place) {
        return place.resolve(System.mapLibraryName(NAME));
    }

    private static boolean isWhole(Path place, ZipFile driver, ZipEntry code) throws IOException {
        if (!Files.isReadable(classes(place))
                || !Files.isReadable(code(place))
                || Files.size(code(place)) != code.getSize()) {
            return false;
        }
        try (ZipFile thin = new ZipFile(classes(place).toFile())) {
            return thin.size() == driver.stream().filter(DuckDbLibrary::isClass).count();
        } catch (ZipException e) {
            LOG.info("{} is cut off, and made anew: {}", classes(place), e.toString());
            return false;
        }
    }

    /** Whether a part of the driver's jar is no native code, of whatever machine. */
    private static boolean isClass(ZipEntry entry) {
        return !entry.getName().startsWith(PREFIX);
    }

    /** Into a new folder, which then gets its name. One that has the name and is damaged makes room for it. */
    private static void unpack(ZipFile driver, ZipEntry code, Path folder, Path place) throws IOException {
        Files.createDirectories(folder);
        Path begun = Files.createTempDirectory(folder, "begun");
        try {
            try (InputStream in = driver.getInputStream(code)) {
                Files.copy(in, code(begun));
            }
            try (OutputStream out = Files.newOutputStream(classes(begun));
                    ZipOutputStream thin = new ZipOutputStream(out)) {
                for (ZipEntry entry : Collections.list(driver.entries())) {
                    if (isClass(entry)) {
                        thin.putNextEntry(new ZipEntry(entry.getName()));
                        try (InputStream in = driver.getInputStream(entry)) {
                            in.transferTo(thin);
                        }
                        thin.closeEntry();
                    }
                }
            }
            force(code(begun));
            force(classes(begun));
            try {
                Files.move(begun, place, StandardCopyOption.ATOMIC_MOVE);
            } catch (FileSystemException e) {
                // Another process was faster; or what is there is damaged.
                if (!isWhole(place, driver, code)) {
                    replace(begun, place);
                }
            }
        } finally {
            delete(begun);
        }
    }

    private static void replace(Path begun, Path place) throws IOException {
        Path damaged = begun.resolveSibling(begun.getFileName() + "-damaged");
        Files.move(place, damaged, StandardCopyOption.ATOMIC_MOVE);
        try {
            Files.move(begun, place, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            delete(damaged);
        }
    }

    /** What has its name is whole, also after the machine has lost its power. */
    private static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    private static void delete(Path folder) throws IOException {
        for (Path left : List.of(code(folder), classes(folder), folder)) {
            Files.deleteIfExists(left);
        }
    }

    /** As the driver names systems. */
    private static String system() {
        String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        if (name.startsWith("windows")) {
            return "windows";
        }
        return name.startsWith("mac") ? "macos" : name;
    }

    /** As the driver names processors. */
    private static String processor() {
        return switch (System.getProperty("os.arch").toLowerCase(Locale.ROOT)) {
            case "x86_64", "amd64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            default -> "";
        };
    }
}
