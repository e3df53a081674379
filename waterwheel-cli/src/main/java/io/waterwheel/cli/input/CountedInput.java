package io.waterwheel.cli.input;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts the bytes that are read. One thread. */
public final class CountedInput extends FilterInputStream {
    private long bytes;

    public CountedInput(InputStream in) {
        super(in);
    }

    public long bytes() {
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
