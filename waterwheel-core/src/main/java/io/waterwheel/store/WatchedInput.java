package io.waterwheel.store;

import java.io.IOException;

/**
 * A file whose reads somebody watches. Thread-safe as far as the file and who watches are.
 *
 * @param watch makes each read, and may look at how it goes
 */
public record WatchedInput(ChunkStore.Input input, Watch watch) implements ChunkStore.Input {
    /** A read. */
    @FunctionalInterface
    public interface Read {
        void run() throws IOException;
    }

    /** Makes reads. */
    @FunctionalInterface
    public interface Watch {
        /** Runs a read of that number of bytes, in one range or several. */
        void read(long bytes, Read read) throws IOException;
    }

    @Override
    public String name() {
        return input.name();
    }

    @Override
    public long size() {
        return input.size();
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
        watch.read(length, () -> input.read(position, target, offset, length));
    }

    @Override
    public void readVectored(long[] positions, int[] lengths, byte[] target) throws IOException {
        long bytes = 0;
        for (int length : lengths) {
            bytes += length;
        }
        watch.read(bytes, () -> input.readVectored(positions, lengths, target));
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
