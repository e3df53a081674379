package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is kept of the driver's jar is what the jar has, and a jar of which nothing can be kept is used as it is. */
final class DuckDbLibraryTest {
    private static final String OTHER = "libduckdb_java.so_of_another_machine";

    @TempDir
    Path folder;

    private Path jar(Map<String, String> entries) throws IOException {
        Path jar = Files.createTempFile(folder, "driver", ".jar");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (Map.Entry<String, String> entry : entries.entrySet()) {
                out.putNextEntry(new ZipEntry(entry.getKey()));
                out.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
                out.closeEntry();
            }
        }
        return jar;
    }

    private Path driver(String code) throws IOException {
        return jar(Map.of("org/A.class", "a", "META-INF/x", "", DuckDbLibrary.entry(), code, OTHER, "other"));
    }

    private static String code(DuckDbLibrary library) throws IOException {
        Path where = library.nativeFolder();
        assertThat(where).isNotNull();
        return Files.readString(where.resolve(System.mapLibraryName("duckdb_java")));
    }

    private static Map<String, String> entries(Path jar) throws IOException {
        Map<String, String> entries = new TreeMap<>();
        try (ZipFile file = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : file.stream().map(ZipEntry.class::cast).toList()) {
                entries.put(
                        entry.getName(), new String(file.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return entries;
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    @Test
    void keepsTheCodeOfThisMachineAndTheClasses() throws Exception {
        Path kept = folder.resolve("kept/here");
        Path driver = driver("code");
        DuckDbLibrary library = DuckDbLibrary.of(driver, kept.toString());
        assertThat(code(library)).isEqualTo("code");
        assertThat(entries(library.jar())).isEqualTo(Map.of("org/A.class", "a", "META-INF/x", ""));
        Object first = Files.readAttributes(library.jar(), "fileKey,lastModifiedTime");
        assertThat(DuckDbLibrary.of(driver, kept.toString())).isEqualTo(library);
        assertThat(Files.readAttributes(library.jar(), "fileKey,lastModifiedTime"))
                .isEqualTo(first);
        assertThat(list(kept)).hasSize(1);
    }

    @Test
    void keepsEachVersion() throws Exception {
        DuckDbLibrary one = DuckDbLibrary.kept(driver("one"), folder.resolve("kept"));
        DuckDbLibrary two = DuckDbLibrary.kept(driver("two"), folder.resolve("kept"));
        assertThat(code(one)).isEqualTo("one");
        assertThat(code(two)).isEqualTo("two");
    }

    @Test
    void isKeptOnceByManyAtOnce() throws Exception {
        Path kept = folder.resolve("kept");
        Path driver = driver("code".repeat(100_000));
        List<CompletableFuture<DuckDbLibrary>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(CompletableFuture.supplyAsync(() -> DuckDbLibrary.of(driver, kept.toString())));
        }
        for (CompletableFuture<DuckDbLibrary> one : all) {
            assertThat(one.get()).isEqualTo(all.get(0).get());
            assertThat(one.get().nativeFolder()).isNotNull();
        }
        assertThat(list(kept)).hasSize(1);
    }

    @Test
    void isTheJarWhereNothingCanBeKept() throws Exception {
        Path driver = driver("code");
        DuckDbLibrary itself = new DuckDbLibrary(driver, null);
        assertThat(DuckDbLibrary.of(driver, "")).isEqualTo(itself);
        Path file = Files.createFile(folder.resolve("file"));
        assertThat(DuckDbLibrary.of(driver, file.toString())).isEqualTo(itself);
        Path others = jar(Map.of("org/A.class", "a", OTHER, "other"));
        assertThat(DuckDbLibrary.of(others, folder.resolve("kept").toString()))
                .isEqualTo(new DuckDbLibrary(others, null));
        assertThat(folder.resolve("kept")).doesNotExist();
    }

    /** One that was cut off is not loaded: it is made anew. */
    @Test
    void isMadeAnewWhereWhatIsKeptIsDamaged() throws Exception {
        Path driver = driver("code");
        Path kept = folder.resolve("kept");
        Path where = DuckDbLibrary.of(driver, kept.toString()).nativeFolder();
        assertThat(where).isNotNull();
        for (String damaged : List.of(System.mapLibraryName("duckdb_java"), "duckdb.jar")) {
            Files.writeString(where.resolve(damaged), "co");
            DuckDbLibrary again = DuckDbLibrary.of(driver, kept.toString());
            assertThat(code(again)).isEqualTo("code");
            assertThat(entries(again.jar())).isEqualTo(Map.of("org/A.class", "a", "META-INF/x", ""));
            assertThat(list(kept)).hasSize(1);
        }
    }

    /** The driver names its code as we think that it does. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void theDriverHasCodeForThisMachine() throws Exception {
        Path driver = Path.of(DuckDBConnection.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        assertThat(DuckDbLibrary.kept(driver, folder).nativeFolder()).isNotNull();
    }
}
