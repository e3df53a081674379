package io.waterwheel;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files under {@code src/test/resources} that the first writer of a format's version wrote: readers to come must read
 * them. They never change; {@code -Dwaterwheel.golden=write} writes those that are missing.
 */
public final class GoldenFiles {
    private static final Path RESOURCES = Path.of("src/test/resources");

    private GoldenFiles() {}

    /**
     * The bytes of a file.
     *
     * @param name below the resources, such as {@code chunk/v1/floats.chunk}
     * @param written by today's writer, for a file that is missing and is to be written
     */
    public static byte[] read(String name, byte[] written) throws IOException {
        Path file = RESOURCES.resolve(name);
        if (System.getProperty("waterwheel.golden", "").equals("write") && !Files.exists(file)) {
            Files.createDirectories(file.getParent());
            Files.write(file, written);
        }
        if (Files.exists(file)) {
            return Files.readAllBytes(file);
        }
        // The tests run from another folder.
        try (InputStream in = GoldenFiles.class.getResourceAsStream("/" + name)) {
            if (in == null) {
                throw new IOException("no golden file " + name + ": -Dwaterwheel.golden=write writes it");
            }
            return in.readAllBytes();
        }
    }
}
