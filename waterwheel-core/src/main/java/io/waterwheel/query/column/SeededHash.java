package io.waterwheel.query.column;

import io.waterwheel.tuple.LittleEndian;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The hash of a table that lives in one query: every bit of a value reaches every bit of it, and its seed is not known
 * outside, so that values cannot be chosen to collide. Immutable.
 */
public final class SeededHash {
    /** Of this process: seeds are made of them, because drawing one takes a microsecond. */
    private static final long[] SECRETS = new SecureRandom().longs(2).toArray();

    private static final AtomicLong MADE = new AtomicLong();

    /** Twice scattered: one seed tells nothing of the next without the second secret. */
    private final long seed = scatter(scatter(SECRETS[0] + MADE.getAndIncrement() * 0x9E3779B97F4A7C15L) ^ SECRETS[1]);

    /** The hash of a word. */
    public int of(long word) {
        return mix(word ^ seed);
    }

    /** The hash of bytes. */
    public int of(byte[] bytes, int offset, int length) {
        long hash = seed ^ length;
        int at = offset;
        int end = offset + length;
        for (; at + 8 <= end; at += 8) {
            hash = (hash ^ LittleEndian.getLong(bytes, at)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        if (at < end) {
            hash = (hash ^ rest(bytes, offset, at, end)) * 0x9E3779B97F4A7C15L;
        }
        return mix(hash);
    }

    /** The last bytes, fewer than 8, as a number, perhaps with some before them: the length is in the hash already. */
    private static long rest(byte[] bytes, int offset, int at, int end) {
        if (end - offset >= 8) {
            return LittleEndian.getLong(bytes, end - 8);
        } else if (end - at >= 4) {
            return ((long) LittleEndian.getInt(bytes, at) << 32) | (LittleEndian.getInt(bytes, end - 4) & 0xFFFFFFFFL);
        }
        return (bytes[at] & 0xFF) | (bytes[(at + end) >>> 1] & 0xFF) << 8 | (bytes[end - 1] & 0xFF) << 16;
    }

    /** The last steps of MurmurHash3's 64 bits [Appleby 2011]. */
    private static int mix(long value) {
        return (int) scatter(value);
    }

    private static long scatter(long value) {
        long mixed = value;
        mixed ^= mixed >>> 33;
        mixed *= 0xFF51AFD7ED558CCDL;
        mixed ^= mixed >>> 33;
        mixed *= 0xC4CEB9FE1A85EC53L;
        return mixed ^ (mixed >>> 33);
    }
}
