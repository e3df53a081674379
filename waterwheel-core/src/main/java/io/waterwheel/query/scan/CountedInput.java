package io.waterwheel.query.scan;

import io.waterwheel.store.ChunkStore;
import java.io.IOException;

/** A file of which it is known how much has been read. One thread. */
final class CountedInput implements ChunkStore.Input {
    private final ChunkStore.Input input;
    private long bytesRead;

    CountedInput(ChunkStore.Input input) {
        this.input = input;
    }

    /** Bytes of all reads that succeeded. */
    long bytesRead() {
        return bytesRead;
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
        input.read(position, target, offset, length);
        bytesRead += length;
    }

    @Override
    public void readVectored(long[] positions, byte[][] targets) throws IOException {
        input.readVectored(positions, targets);
        for (byte[] target : targets) {
            bytesRead += target.length;
        }
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
