package io.waterwheel.unpack;

import com.github.luben.zstd.ZstdBufferDecompressingStreamNoFinalizer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What Zstandard's frames hold, one behind the other. Fails where the last is cut off, or where what follows it is no
 * frame; {@code ZstdInputStream} takes a later frame that is cut off for the end. One thread.
 */
public final class ZstdFrames extends InputStream {
    private static final int SOURCE_BYTES = 64 << 10;

    private final InputStream packed;
    private final byte[] buffer = new byte[SOURCE_BYTES];
    private final Frames frames;
    private @Nullable IOException failure;

    /**
     * @param packed is closed with this
     * @param mostWindowLog how far a frame may refer back: so much memory is taken before anything is known of it
     */
    public ZstdFrames(InputStream packed, int mostWindowLog) throws IOException {
        this.packed = packed;
        this.frames = new Frames(ByteBuffer.wrap(buffer).limit(0));
        frames.setLongMax(mostWindowLog);
    }

    /** The frames, of one source buffer that is filled whenever it is empty. */
    private final class Frames extends ZstdBufferDecompressingStreamNoFinalizer {
        Frames(ByteBuffer empty) {
            super(empty);
        }

        @Override
        protected ByteBuffer refill(ByteBuffer used) {
            int got = 0;
            try {
                got = packed.read(buffer, 0, buffer.length);
            } catch (IOException e) {
                // The library lets none through.
                failure = e;
            }
            return used.clear().limit(Math.max(got, 0));
        }

        boolean isAtEndOfSource() {
            return !source.hasRemaining();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        int got = read(one, 0, 1);
        return got < 0 ? got : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        Objects.checkFromIndexSize(from, length, into.length);
        if (length == 0) {
            return 0;
        }
        ByteBuffer target = ByteBuffer.wrap(into, from, length);
        while (frames.hasRemaining()) {
            int got = frames.read(target);
            if (failure != null) {
                throw failure;
            }
            if (got > 0) {
                return got;
            }
            if (frames.isAtEndOfSource() && frames.hasRemaining()) {
                throw new EOFException("it is cut off");
            }
        }
        return -1;
    }

    @Override
    public void close() throws IOException {
        frames.close();
        packed.close();
    }
}
