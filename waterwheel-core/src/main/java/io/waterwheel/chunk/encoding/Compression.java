package io.waterwheel.chunk.encoding;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.util.concurrent.ArrayBlockingQueue;

/** Zstandard frames of what still compresses after encoding. Thread-safe. */
/*
 * A context takes native memory and some time to make: a few are kept for later use.
 */
public final class Compression {
    private static final int LEVEL = 3;
    private static final int KEPT = Math.max(2, Runtime.getRuntime().availableProcessors());
    private static final ArrayBlockingQueue<ZstdCompressCtx> COMPRESSORS = new ArrayBlockingQueue<>(KEPT);
    private static final ArrayBlockingQueue<ZstdDecompressCtx> DECOMPRESSORS = new ArrayBlockingQueue<>(KEPT);

    private Compression() {}

    /** Most bytes that {@code length} bytes take when they are compressed. */
    static int bound(int length) {
        return Math.toIntExact(Zstd.compressBound(length));
    }

    /** Compresses; returns the length. The target has {@link #bound} bytes from its offset on. */
    static int compress(byte[] source, int from, int length, byte[] target, int to) {
        ZstdCompressCtx context = COMPRESSORS.poll();
        if (context == null) {
            context = new ZstdCompressCtx().setLevel(LEVEL);
        }
        try {
            return context.compressByteArray(target, to, target.length - to, source, from, length);
        } finally {
            if (!COMPRESSORS.offer(context)) {
                context.close();
            }
        }
    }

    /** Decompresses exactly the given number of bytes; false when the source is no frame of that size. */
    public static boolean decompress(byte[] source, int from, int length, byte[] target, int targetLength) {
        ZstdDecompressCtx context = DECOMPRESSORS.poll();
        if (context == null) {
            context = new ZstdDecompressCtx();
        }
        try {
            return context.decompressByteArray(target, 0, targetLength, source, from, length) == targetLength;
        } catch (ZstdException e) {
            return false; // the caller knows file, part and offset, and says so
        } finally {
            if (!DECOMPRESSORS.offer(context)) {
                context.close();
            }
        }
    }
}
