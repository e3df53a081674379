package io.waterwheel.embedded;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.zip.Deflater;

/**
 * Makes one jar of many, for commands that run a moment: a JVM opens each jar of its class path when a library looks
 * for services, and of seventy jars that takes longer than a question. The launcher calls it after a build.
 *
 * <p>Of files of one name the first counts, as on a class path, but a class of two jars is refused; files of services
 * are put together. Large jars stay beside it and are named in its manifest. Signatures are left out: they would be of
 * other manifests.
 */
final class MergedJar {
    /** Jars of many megabytes are natives and clients that most commands do not take. */
    private static final long LARGE_BYTES = 4L << 20;

    private static final String SERVICES = "META-INF/services/";
    private static final Pattern LEFT_OUT = Pattern.compile(
            "META-INF/[^/]*\\.(SF|RSA|DSA|EC)|META-INF/INDEX.LIST|(META-INF/versions/\\d+/)?module-info.class");

    private final Set<String> written = new HashSet<>(Set.of(JarFile.MANIFEST_NAME));
    private final Map<String, ByteArrayOutputStream> services = new LinkedHashMap<>();

    private MergedJar() {}

    /** Takes the jar to make, the class to start, and the jars to merge, which lie in its folder or below. */
    public static void main(String[] args) throws IOException {
        Path to = Path.of(args[0]).toAbsolutePath();
        List<Path> jars = new ArrayList<>();
        for (String jar : List.of(args).subList(2, args.length)) {
            jars.add(Path.of(jar).toAbsolutePath());
        }
        make(to, args[1], jars);
    }

    /**
     * Makes the jar.
     *
     * @param mainClass whose jar says the version, too
     */
    static void make(Path to, String mainClass, List<Path> jars) throws IOException {
        Path folder = Objects.requireNonNull(to.getParent(), "an absolute path of a file");
        List<String> large = new ArrayList<>();
        List<Path> small = new ArrayList<>();
        for (Path jar : jars) {
            if (Files.size(jar) > LARGE_BYTES) {
                large.add(folder.relativize(jar).toString());
            } else {
                small.add(jar);
            }
        }
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, mainClass);
        attributes.put(Attributes.Name.MULTI_RELEASE, "true");
        attributes.put(Attributes.Name.CLASS_PATH, String.join(" ", large));
        // In place of the JVM's options, with which newer ones put the JDK's modules together anew at each start.
        attributes.put(new Attributes.Name("Add-Opens"), "java.base/java.nio");
        attributes.put(new Attributes.Name("Enable-Native-Access"), "ALL-UNNAMED");
        version(mainClass, jars).ifPresent(v -> attributes.put(Attributes.Name.IMPLEMENTATION_VERSION, v));
        try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(to));
                JarOutputStream out = new JarOutputStream(file, manifest)) {
            out.setLevel(Deflater.BEST_SPEED);
            MergedJar merged = new MergedJar();
            for (Path jar : small) {
                merged.add(jar, out);
            }
            for (Map.Entry<String, ByteArrayOutputStream> service : merged.services.entrySet()) {
                out.putNextEntry(new JarEntry(service.getKey()));
                service.getValue().writeTo(out);
            }
        }
    }

    private static Optional<String> version(String mainClass, List<Path> jars) throws IOException {
        for (Path path : jars) {
            try (JarFile jar = new JarFile(path.toFile())) {
                Manifest manifest = jar.getManifest();
                if (manifest != null && jar.getEntry(mainClass.replace('.', '/') + ".class") != null) {
                    return Optional.ofNullable(
                            manifest.getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION));
                }
            }
        }
        return Optional.empty();
    }

    private void add(Path path, JarOutputStream out) throws IOException {
        try (JarFile jar = new JarFile(path.toFile())) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                if (entry.isDirectory() || LEFT_OUT.matcher(name).matches()) {
                    continue;
                }
                try (InputStream in = jar.getInputStream(entry)) {
                    if (name.startsWith(SERVICES)) {
                        ByteArrayOutputStream all = services.computeIfAbsent(name, key -> new ByteArrayOutputStream());
                        in.transferTo(all);
                        all.write('\n');
                    } else if (written.add(name)) {
                        out.putNextEntry(new JarEntry(name));
                        in.transferTo(out);
                    } else if (name.endsWith(".class")) {
                        throw new IOException(path + ": " + name + " is in another jar, too");
                    }
                }
            }
        }
    }
}
