package io.waterwheel.cli.input;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Standard input, which comes once: what is read of it is kept until {@link #openLast} is called, so that it can be
 * looked at before it is read. A look takes about {@link #mostLookedAt} bytes. One thread.
 */
final class StandardInput implements InputSource {
    private static final long LOOKED_AT = 16 << 20;

    private final InputStream in;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private byte[] begin = {};
    private boolean keeps = true;

    StandardInput(InputStream in) {
        this.in = in;
    }

    @Override
    public String name() {
        return "standard input";
    }

    @Override
    public InputStream open() {
        begin = kept.toByteArray();
        return new FromBegin();
    }

    @Override
    public InputStream openLast() {
        keeps = false;
        return open();
    }

    @Override
    public long size() {
        return -1;
    }

    @Override
    public long mostLookedAt() {
        return LOOKED_AT;
    }

    /** What was kept, then the rest. */
    private final class FromBegin extends InputStream {
        private final byte[] first = begin;
        private int at;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            if (at < first.length) {
                int some = Math.min(length, first.length - at);
                System.arraycopy(first, at, into, from, some);
                at += some;
                return some;
            }
            int got = in.read(into, from, length);
            if (got > 0 && keeps) {
                kept.write(into, from, got);
            }
            return got;
        }

        @Override
        public int available() throws IOException {
            return at < first.length ? first.length - at : in.available();
        }
    }
}
