package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One jar says what its parts say as a class path. */
final class MergedJarTest {
    @TempDir
    Path folder;

    private Path jar(String name, String version, Map<String, byte[]> files) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
        Path jar = Files.createDirectories(folder.resolve("lib")).resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            for (Map.Entry<String, byte[]> file : new TreeMap<>(files).entrySet()) {
                out.putNextEntry(new JarEntry(file.getKey()));
                out.write(file.getValue());
            }
        }
        return jar;
    }

    private static byte[] text(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void theFirstFileOfANameCountsAndServicesArePutTogether() throws Exception {
        byte[] large = new byte[5 << 20];
        new Random(1).nextBytes(large);
        List<Path> jars = List.of(
                jar("a.jar", "1", Map.of("x/a.txt", text("a"), "META-INF/services/x.S", text("x.A"))),
                jar("b.jar", "2", Map.of("native.so", large)),
                jar(
                        "c.jar",
                        "3",
                        Map.of(
                                "x/a.txt",
                                text("another"),
                                "x/Main.class",
                                text("main"),
                                "META-INF/services/x.S",
                                text("x.C"),
                                "META-INF/SIGNED.SF",
                                text("of c alone"),
                                "META-INF/versions/17/x/Main.class",
                                text("main of 17"),
                                "META-INF/versions/9/module-info.class",
                                text("of c alone"))));
        Path made = folder.resolve("client.jar");
        MergedJar.make(made, "x.Main", jars);
        try (JarFile merged = new JarFile(made.toFile(), false, JarFile.OPEN_READ, Runtime.version())) {
            Attributes manifest = merged.getManifest().getMainAttributes();
            assertThat(manifest.getValue("Main-Class")).isEqualTo("x.Main");
            assertThat(manifest.getValue("Implementation-Version")).isEqualTo("3");
            assertThat(manifest.getValue("Class-Path")).isEqualTo("lib/b.jar");
            assertThat(manifest.getValue("Add-Opens")).isEqualTo("java.base/java.nio");
            List<String> names = new ArrayList<>();
            merged.stream().map(JarEntry::getName).forEach(names::add);
            assertThat(names)
                    .containsExactlyInAnyOrder(
                            "META-INF/MANIFEST.MF",
                            "META-INF/services/x.S",
                            "META-INF/versions/17/x/Main.class",
                            "x/a.txt",
                            "x/Main.class");
            assertThat(read(merged, "x/a.txt")).isEqualTo("a");
            assertThat(read(merged, "x/Main.class")).isEqualTo("main of 17");
            assertThat(read(merged, "META-INF/services/x.S").lines()).containsExactly("x.A", "x.C");
        }
        Path twice = jar("d.jar", "4", Map.of("x/Main.class", text("another")));
        assertThatThrownBy(() -> MergedJar.make(made, "x.Main", List.of(jars.get(2), twice)))
                .hasMessage(twice.toAbsolutePath() + ": x/Main.class is in another jar, too");
    }

    private static String read(JarFile jar, String name) throws IOException {
        return new String(jar.getInputStream(jar.getEntry(name)).readAllBytes(), UTF_8);
    }
}
