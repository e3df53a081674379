package io.waterwheel.cli.input;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Standard input or a pipe, which comes once: what is read of it is kept until {@link #openLast} is called, so that it
 * can be looked at before it is read. A look takes about {@link #mostLookedAt} bytes. One thread.
 */
final class OneTimeInput implements InputSource {
    private static final long LOOKED_AT = 16 << 20;
    /** Lines that are no rows, such as empty ones, are kept too. */
    private static final int MOST_KEPT = 64 << 20;

    private final String name;
    private final Opening opening;
    private @Nullable InputStream opened;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private byte[] begin = {};
    private boolean keeps = true;

    /** How it is opened, once. */
    interface Opening {
        InputStream open() throws IOException;
    }

    /** @param name as messages call it */
    OneTimeInput(String name, Opening opening) {
        this.name = name;
        this.opening = opening;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public InputStream open() throws IOException {
        if (opened == null) {
            opened = opening.open();
        }
        begin = kept.toByteArray();
        return new FromBegin(opened);
    }

    @Override
    public InputStream openLast() throws IOException {
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
        private final InputStream in;
        private final byte[] first = begin;
        private int at;

        FromBegin(InputStream in) {
            this.in = in;
        }

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
                if (kept.size() + got > MOST_KEPT) {
                    throw new IOException("no end of what comes before its rows, in " + MOST_KEPT + " bytes");
                }
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
