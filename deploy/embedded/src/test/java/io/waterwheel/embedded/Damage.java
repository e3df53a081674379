package io.waterwheel.embedded;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** What a bad disk does to a topic. */
final class Damage {
    private Damage() {}

    /**
     * Turns a bit of the last batch of a partition that has one segment; a second time turns it back. A running broker
     * sends it as it is.
     */
    static void turnLastByte(Path partition) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(
                partition.resolve("00000000000000000000.log").toFile(), "rw")) {
            file.seek(file.length() - 1);
            int last = file.read();
            file.seek(file.length() - 1);
            file.write(last ^ 1);
        }
    }
}
