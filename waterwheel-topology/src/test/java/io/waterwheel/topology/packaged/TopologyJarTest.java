package io.waterwheel.topology.packaged;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is in the topology jar under a name that another jar on Storm's class path could have too. Storm puts its own
 * folders before a topology's jar, and all topologies of a cluster share those.
 */
@Tag("packaged")
final class TopologyJarTest {
    /** By prefix of a class's path, why it stands there under its own name. */
    private static final Map<String, String> ALLOWED = Map.of(
            "io/waterwheel/", "ours, and all that is relocated",
            "org/apache/hadoop/",
                    "Hadoop's client jars, which relocate what they need themselves; a cluster's configuration"
                            + " (HADOOP_CONF_DIR) names their classes",
            "com/github/luben/zstd/", "its native library names its classes",
            "org/codehaus/", "Janino, which Calcite compiles by, names its classes in a file",
            "net/jpountz/", "LZ4's native library names its classes",
            "org/xerial/snappy/", "its native library names its classes");

    @Test
    void holdsNoPackageThatCouldClash() throws IOException {
        Map<String, Integer> leaked = new TreeMap<>();
        Set<String> used = new TreeSet<>();
        try (JarFile jar = new JarFile(TopologyJar.find().toFile())) {
            jar.stream()
                    .map(JarEntry::getName)
                    .filter(name -> name.endsWith(".class"))
                    .forEach(name -> ALLOWED.keySet().stream()
                            .filter(name::startsWith)
                            .findFirst()
                            .ifPresentOrElse(
                                    used::add,
                                    () -> leaked.merge(
                                            name.substring(0, Math.max(0, name.lastIndexOf('/'))), 1, Integer::sum)));
        }
        assertThat(leaked).as("packages that are neither relocated nor allowed").isEmpty();
        assertThat(used).as("what is allowed and there").isEqualTo(new TreeSet<>(ALLOWED.keySet()));
    }

    @Test
    void leavesLoggingAndStormToStorm() throws IOException {
        try (JarFile jar = new JarFile(TopologyJar.find().toFile())) {
            assertThat(jar.stream().map(JarEntry::getName))
                    .noneMatch(name -> name.startsWith("org/apache/storm/")
                            || name.startsWith("org/slf4j/")
                            || name.startsWith("org/apache/logging/")
                            || name.contains("shaded/org/slf4j/")
                            || name.startsWith("log4j2")
                            || name.equals("defaults.yaml")
                            || name.equals("storm.yaml"));
        }
    }

    @Test
    void holdsNothingThatOnlyItsPartsCouldUse() throws IOException {
        try (JarFile jar = new JarFile(TopologyJar.find().toFile())) {
            assertThat(jar.stream().map(JarEntry::getName))
                    .as("signatures of other jars, modules, classes for other versions of Java, twins")
                    .noneMatch(name -> name.matches("META-INF/[^/]*\\.(SF|DSA|RSA|EC)")
                            || name.endsWith("module-info.class")
                            || name.startsWith("META-INF/versions/"))
                    .doesNotHaveDuplicates();
        }
    }

    /** A service file that names a class by its old name finds nothing, and says nothing. */
    @Test
    void everyServiceIsThereUnderTheNameThatItsFileSays() throws IOException {
        try (JarFile jar = new JarFile(TopologyJar.find().toFile())) {
            Set<String> wrong = new TreeSet<>();
            Set<String> services = new TreeSet<>();
            for (JarEntry entry : jar.stream().toList()) {
                if (!entry.getName().startsWith("META-INF/services/") || entry.isDirectory()) {
                    continue;
                }
                String service = entry.getName().substring("META-INF/services/".length());
                services.add(service);
                if (!known(jar, service)) {
                    wrong.add(service + ": is in neither this jar nor the JDK");
                }
                for (String line : new String(jar.getInputStream(entry).readAllBytes(), UTF_8).split("\n", -1)) {
                    String provider = line.replaceFirst("#.*", "").strip();
                    if (!provider.isEmpty() && jar.getEntry(provider.replace('.', '/') + ".class") == null) {
                        wrong.add(service + ": names " + provider + ", which is not in this jar");
                    }
                }
            }
            assertThat(wrong).isEmpty();
            assertThat(services)
                    .as("of interfaces of the JDK: they would be taken by the whole JVM")
                    .noneMatch(service -> service.startsWith("java.") || service.startsWith("javax."))
                    .contains(
                            "org.apache.hadoop.fs.FileSystem",
                            "io.waterwheel.shaded.io.grpc.LoadBalancerProvider",
                            "io.waterwheel.shaded.io.grpc.NameResolverProvider");
        }
    }

    private static boolean known(JarFile jar, String service) {
        // Woodstox looks under the name of a class, then the kind.
        for (String name : List.of(service, service.replaceFirst("\\.(dtd|relaxng|w3c)$", ""))) {
            if (jar.getEntry(name.replace('.', '/') + ".class") != null) {
                return true;
            }
        }
        try {
            Class.forName(service, false, ClassLoader.getPlatformClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
