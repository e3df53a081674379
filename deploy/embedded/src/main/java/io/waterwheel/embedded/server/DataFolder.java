package io.waterwheel.embedded.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.local.FolderLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A folder that one server has to itself as long as it lives; the system gives it free when the process dies. */
public final class DataFolder implements AutoCloseable {
    /** Of the layout of the folder and of everything in it. */
    private static final String VERSION = "1";

    private static final String VERSION_FILE = "version";
    private static final String NEW_VERSION_FILE = "version.new";
    private static final long LEAST_FREE_BYTES = 64L << 20;

    /** What servers put there, and what systems put everywhere. */
    private static final Set<String> OURS = Set.of(
            "lock",
            "logs",
            "tmp",
            "kafka",
            "zookeeper",
            "coordinator",
            "chunks",
            VERSION_FILE,
            NEW_VERSION_FILE,
            "lost+found",
            ".DS_Store");

    private static final Set<PosixFilePermission> OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    private final Path path;
    private final FolderLock lock;

    private DataFolder(Path path, FolderLock lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Makes the folder when absent and takes it.
     *
     * @throws IOException naming the process that has it; or when it is of another version, not a data folder, or
     *     cannot be written
     */
    public static DataFolder take(Path folder) throws IOException {
        return take(folder, LEAST_FREE_BYTES);
    }

    /** The same, with at least this many bytes free on its disk. */
    public static DataFolder take(Path folder, long leastFreeBytes) throws IOException {
        Path path = folder.toAbsolutePath().normalize();
        make(path);
        checkVersion(path);
        long free = Files.getFileStore(path).getUsableSpace();
        if (free < leastFreeBytes) {
            throw new IOException("data folder " + path + ": expected at least " + (leastFreeBytes >> 20)
                    + " MiB free on its disk, got " + (free >> 20)
                    + " MiB; free some, or take another folder with --data");
        }
        FolderLock lock = lock(path);
        try {
            lock.channel().truncate(0);
            lock.channel().write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(UTF_8)));
            markVersion(path);
            return new DataFolder(path, lock);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static FolderLock lock(Path path) throws IOException {
        Optional<FolderLock> taken;
        try {
            taken = FolderLock.tryTake(path);
        } catch (IOException e) {
            throw new IOException(
                    "data folder " + path + " cannot be written: " + e
                            + "; make it writable, or take another with --data",
                    e);
        }
        if (taken.isEmpty()) {
            // What this process holds it must not look into: that would end its hold.
            String holder = FolderLock.isHeldHere(path)
                    ? String.valueOf(ProcessHandle.current().pid())
                    : Files.readString(FolderLock.file(path)).strip();
            throw new IOException("data folder " + path + " is in use by process " + holder
                    + "; stop it, or take another folder with --data");
        }
        return taken.get();
    }

    /** Whole or not at all: an empty one would be refused as another version's for good. */
    private static void markVersion(Path path) throws IOException {
        Path file = path.resolve(VERSION_FILE);
        if (Files.exists(file)) {
            return;
        }
        Path unfinished = path.resolve(NEW_VERSION_FILE);
        try (FileChannel channel = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap((VERSION + "\n").getBytes(UTF_8)));
            channel.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Readable by its owner alone, when it is new: rows and credentials lie in it. */
    private static void make(Path path) throws IOException {
        try {
            boolean isNew = !Files.exists(path);
            ServerFolder.make(path);
            if (isNew && hasPermissions(path)) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
            }
        } catch (FileAlreadyExistsException e) {
            throw new IOException(
                    "data folder " + path + ": " + e.getFile() + " is a file; take a folder with --data", e);
        } catch (IOException e) {
            throw new IOException(
                    "data folder " + path + " cannot be made: " + e + "; make it, or take another with --data", e);
        }
    }

    /** Refuses what another version wrote, and a folder with other things in it. */
    private static void checkVersion(Path path) throws IOException {
        Path file = path.resolve(VERSION_FILE);
        if (Files.exists(file)) {
            String version = Files.readString(file).strip();
            if (!version.equals(VERSION)) {
                throw new IOException("data folder " + path + ": expected version " + VERSION + ", got '" + version
                        + "' in " + file + ": it was written by another release. Run that, or take another folder with"
                        + " --data");
            }
            return;
        }
        try (Stream<Path> entries = Files.list(path)) {
            Optional<Path> foreign = entries.filter(entry -> !OURS.contains(String.valueOf(entry.getFileName())))
                    .findFirst();
            if (foreign.isPresent()) {
                throw new IOException(
                        "data folder " + path + ": expected an empty folder, or one of a server, got one with "
                                + foreign.get().getFileName() + " in it; take another folder with --data");
            }
        }
    }

    private static boolean hasPermissions(Path path) throws IOException {
        return Files.getFileStore(path).supportsFileAttributeView("posix");
    }

    /** What to do about a folder that others may read, as one of an older release; empty when they may not. */
    String warning() throws IOException {
        if (!hasPermissions(path)) {
            return "";
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
        return Collections.disjoint(permissions, OTHERS)
                ? ""
                : "others on this machine can read the data folder " + path + " ("
                        + PosixFilePermissions.toString(permissions) + "): chmod 700 " + path;
    }

    public Path resolve(String name) {
        return path.resolve(name);
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
