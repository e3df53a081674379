package io.waterwheel.unpack;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * What gzip's members hold, one behind the other. Fails where the last is cut off, or where what follows it is no
 * member; {@code GZIPInputStream} takes both for the end. One thread.
 */
public final class GzipMembers extends GZIPInputStream {
    /** At the end of a member. */
    private static final int TRAILER_BYTES = 8;

    private final HonestAvailable source;

    /** @param packed marks (see {@link InputStream#markSupported}), and is closed with this */
    public GzipMembers(InputStream packed, int bufferBytes) throws IOException {
        this(new HonestAvailable(packed), bufferBytes);
    }

    private GzipMembers(HonestAvailable source, int bufferBytes) throws IOException {
        super(source, bufferBytes);
        this.source = source;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        int got = super.read(into, from, length);
        if (got < 0 && (source.more || inf.getRemaining() > TRAILER_BYTES)) {
            throw new ZipException("what follows is cut off or no gzip");
        }
        return got;
    }

    /**
     * Says that there is more unless it is at its end: the JDK looks for the next member of a file that was put
     * together of several only then, and a pipe often says 0 in between.
     */
    private static final class HonestAvailable extends FilterInputStream {
        /** The last answer: whether more followed the end of the last member. */
        private boolean more;

        HonestAvailable(InputStream source) {
            super(source);
        }

        @Override
        public int available() throws IOException {
            int known = super.available();
            if (known <= 0) {
                in.mark(1);
                known = in.read() >= 0 ? 1 : 0;
                in.reset();
            }
            more = known > 0;
            return known;
        }
    }
}
