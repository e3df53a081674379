package io.waterwheel.unpack;

import com.github.luben.zstd.ZstdBufferDecompressingStreamNoFinalizer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * What Zstandard's frames hold, one behind the other. Fails where the last is cut off, or where what follows it is no
 * frame; {@code ZstdInputStream} takes a later frame that is cut off for the end. One thread.
 */
public final class ZstdFrames extends InputStream {
    private static final int SOURCE_BYTES = 64 << 10;

    private final InputStream packed;
    private final int mostWindowLog;
    private final byte[] buffer = new byte[SOURCE_BYTES];
    private final ByteBuffer source = ByteBuffer.wrap(buffer).limit(0);
    private Frames frames;

    /**
     * @param packed is closed with this
     * @param mostWindowLog how far a frame may refer back: so much memory is taken before anything is known of it
     */
    public ZstdFrames(InputStream packed, int mostWindowLog) throws IOException {
        this.packed = packed;
        this.mostWindowLog = mostWindowLog;
        this.frames = new Frames(source, mostWindowLog);
    }

    /** Asks for more of the source before it hands out what it has made; that would wait for a pipe's next block. */
    private static final class Frames extends ZstdBufferDecompressingStreamNoFinalizer {
        Frames(ByteBuffer source, int mostWindowLog) throws IOException {
            super(source);
            setLongMax(mostWindowLog);
        }

        @Override
        protected ByteBuffer refill(ByteBuffer used) {
            return used;
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
        while (true) {
            int got = frames.hasRemaining() ? frames.read(target) : 0;
            if (got > 0) {
                return got;
            }
            if (!source.hasRemaining()) {
                int more = packed.read(buffer, 0, buffer.length);
                if (more < 0) {
                    if (frames.hasRemaining()) {
                        throw new EOFException("it is cut off");
                    }
                    return -1;
                }
                source.clear().limit(more);
                if (!frames.hasRemaining()) {
                    // It takes a frame that ends with its source for the last.
                    frames.close();
                    frames = new Frames(source, mostWindowLog);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        frames.close();
        packed.close();
    }
}
