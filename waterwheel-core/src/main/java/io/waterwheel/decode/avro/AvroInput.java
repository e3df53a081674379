package io.waterwheel.decode.avro;

import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.tuple.LittleEndian;

/**
 * The bytes of a record, read from the front. Every length is held against the bytes that are there before anything is
 * done with it. One thread.
 */
final class AvroInput {
    private static final int MOST_DEEP = 64;
    /** Steps that may be without a byte, in a record: arrays of nulls say any number of them in a few bytes. */
    private static final int MOST_EMPTY = 1 << 16;
    /** Steps for each byte of a record: an element, its record, its member. */
    private static final long STEPS_A_BYTE = 16;

    byte[] bytes = {};
    /** Of what {@link #length} has announced, and of the next byte. */
    int at;

    private int to;
    private int deep;
    /** That may still be taken: elements, members and records. */
    private long steps;

    void begin(byte[] record, int from, int end) {
        bytes = record;
        at = from;
        to = end;
        deep = 0;
        steps = STEPS_A_BYTE * (end - from) + MOST_EMPTY;
    }

    /** The record is over: nothing may be left. */
    void end() throws MalformedException {
        if (at != to) {
            throw new MalformedException("not written by this schema: " + (to - at) + " bytes are left over behind it");
        }
    }

    private static MalformedException cut() {
        return new MalformedException("not written by this schema, or damaged: it ends within a value");
    }

    /** A number in zigzag and seven bits a byte. */
    long readLong() throws MalformedException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at == to) {
                throw cut();
            }
            int b = bytes[at++];
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                if (shift == 63 && b > 1) {
                    break;
                }
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw new MalformedException("not written by this schema, or damaged: a number of more than 64 bits");
    }

    int readInt() throws MalformedException {
        long value = readLong();
        if (value != (int) value) {
            throw new MalformedException(
                    "not written by this schema, or damaged: " + value + " where an int is expected");
        }
        return (int) value;
    }

    boolean readBoolean() throws MalformedException {
        require(1);
        int b = bytes[at++];
        if (b != 0 && b != 1) {
            throw new MalformedException(
                    "not written by this schema, or damaged: " + b + " where a boolean, 0 or 1, is expected");
        }
        return b == 1;
    }

    float readFloat() throws MalformedException {
        require(4);
        at += 4;
        return Float.intBitsToFloat(LittleEndian.getInt(bytes, at - 4));
    }

    double readDouble() throws MalformedException {
        require(8);
        at += 8;
        return Double.longBitsToDouble(LittleEndian.getLong(bytes, at - 8));
    }

    /** The length of bytes that follow, which are there. */
    int length() throws MalformedException {
        long length = readLong();
        if (length < 0 || length > to - at) {
            throw cut();
        }
        return (int) length;
    }

    private void require(int count) throws MalformedException {
        if (to - at < count) {
            throw cut();
        }
    }

    void skip(int count) throws MalformedException {
        require(count);
        at += count;
    }

    /** An index below a bound. */
    int index(int bound, String of) throws MalformedException {
        long index = readLong();
        if (index < 0 || index >= bound) {
            throw new MalformedException(
                    "not written by this schema, or damaged: number " + index + " of " + of + ", which has " + bound);
        }
        return (int) index;
    }

    /**
     * The number of elements in the next block of an array or map, 0 at its end. A block that tells its bytes is left
     * at its first element.
     *
     * @param passOver whether a block that tells its bytes may be passed over at once; the next one follows then
     */
    long block(boolean passOver) throws MalformedException {
        while (true) {
            long count = readLong();
            if (count >= 0) {
                return counted(count);
            }
            int length = length();
            if (!passOver) {
                return counted(-count);
            }
            at += length;
        }
    }

    private long counted(long count) throws MalformedException {
        steps(count);
        return count;
    }

    /** Takes steps; a record has as many as its bytes allow, and some more. */
    void steps(long count) throws MalformedException {
        if (count < 0 || count > steps) {
            throw new MalformedException(
                    "not written by this schema, or damaged: more elements than its bytes can hold");
        }
        steps -= count;
    }

    void enter() throws MalformedException {
        steps(1);
        if (++deep > MOST_DEEP) {
            throw new MalformedException("values are more than " + MOST_DEEP + " within each other");
        }
    }

    void leave() {
        deep--;
    }
}
