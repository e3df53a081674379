package io.waterwheel.cli;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts the bytes that are read. One thread. */
final class CountedInput extends FilterInputStream {
    private long bytes;

    CountedInput(InputStream in) {
        super(in);
    }

    long bytes() {
        return bytes;
    }

    @Override
    public int read() throws IOException {
        int read = super.read();
        bytes += read < 0 ? 0 : 1;
        return read;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        int read = super.read(into, from, length);
        bytes += Math.max(0, read);
        return read;
    }
}
