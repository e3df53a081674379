package io.waterwheel.topology.packaged;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The topology jar says under which licences its parts are, and holds the licence files of each of them. */
@Tag("packaged")
final class LicensesTest {
    /** As {@code (Apache-2.0) Guava (com.google.guava:guava:33.4.0-jre - https://...)}. */
    private static final Pattern LINE = Pattern.compile("\\((.+?)\\) .+ \\(([^: ]+):([^: ]+):([^: ]+)( - .*)?\\)");

    private static final Pattern LICENSE_FILE =
            Pattern.compile("(META-INF/)?(LICENSE|NOTICE)[^/]*|META-INF/(license|licenses)/.*[^/]");

    @Test
    void holdsOurOwnLicenceAndTheNoticesOfAll() throws IOException {
        try (JarFile jar = new JarFile(TopologyJar.find().toFile())) {
            assertThat(text(jar, "META-INF/LICENSE")).contains("Apache License", "Version 2.0, January 2004");
            assertThat(text(jar, "META-INF/NOTICE"))
                    .startsWith("// ---")
                    .contains("in this case for Waterwheel", "Arrow Flight Core", "Curator Framework", "Apache Hadoop")
                    .doesNotContain("Waterwheel\nCopyright");
        }
    }

    @Test
    void listsEachPartWithItsVersionAndLicence() throws IOException {
        try (JarFile jar = new JarFile(TopologyJar.find().toFile())) {
            Map<String, String> parts = parts(jar);
            Set<String> artifacts = new TreeSet<>();
            parts.keySet().forEach(part -> artifacts.add(part.split(":", -1)[1]));
            assertThat(artifacts)
                    .contains(
                            "guava",
                            "kafka-clients",
                            "zookeeper",
                            "flight-core",
                            "zstd-jni",
                            "jts-core",
                            "protobuf-java")
                    .doesNotContain("storm-client", "slf4j-api", "waterwheel-core");
            assertThat(parts).hasSizeGreaterThan(40);
        }
    }

    @Test
    void losesNoLicenceFileOfAPart() throws IOException {
        try (JarFile jar = new JarFile(TopologyJar.find().toFile())) {
            Set<String> held = new TreeSet<>();
            jar.stream().map(JarEntry::getName).forEach(held::add);
            List<String> lost = new ArrayList<>();
            int found = 0;
            for (String part : parts(jar).keySet()) {
                String name = part.split(":", -1)[1] + "-" + part.split(":", -1)[2];
                for (String file : licenseFiles(name)) {
                    found++;
                    if (!held.contains("META-INF/licenses/" + name + "-jar/" + file)) {
                        lost.add(name + ": " + file);
                    }
                }
            }
            assertThat(lost).isEmpty();
            assertThat(found).isGreaterThan(40);
        }
    }

    /** The licence files in the jar of that name on the class path. */
    private static List<String> licenseFiles(String name) throws IOException {
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (path.endsWith(File.separator + name + ".jar")) {
                try (JarFile jar = new JarFile(path)) {
                    return jar.stream()
                            .map(JarEntry::getName)
                            .filter(entry -> LICENSE_FILE.matcher(entry).matches())
                            .toList();
                }
            }
        }
        return List.of();
    }

    /** By group, artifact and version, the licence. */
    private static Map<String, String> parts(JarFile jar) throws IOException {
        Map<String, String> parts = new TreeMap<>();
        for (String line : Arrays.stream(text(jar, "META-INF/THIRD-PARTY.txt").split("\n", -1))
                .map(String::strip)
                .filter(line -> line.startsWith("("))
                .toList()) {
            Matcher matcher = LINE.matcher(line);
            assertThat(matcher.matches()).as(line).isTrue();
            parts.put(matcher.group(2) + ":" + matcher.group(3) + ":" + matcher.group(4), matcher.group(1));
        }
        return parts;
    }

    private static String text(JarFile jar, String name) throws IOException {
        JarEntry entry = jar.getJarEntry(name);
        assertThat(entry).as(name).isNotNull();
        try (InputStream in = jar.getInputStream(entry)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }
}
