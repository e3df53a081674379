package io.waterwheel.chunk.encoding;

import io.waterwheel.tuple.LittleEndian;
import java.util.Arrays;

/** Bytes that are written one after the other into an array that grows and is kept. One thread. */
public final class ChunkBuffer {
    private byte[] bytes = new byte[1024];
    private int size;

    public void clear() {
        size = 0;
    }

    public int size() {
        return size;
    }

    /** Cuts off what lies behind, or takes in what was written into {@link #array} after {@link #reserve}. */
    public void setSize(int bytes) {
        size = bytes;
    }

    /** The array, good until the next call of {@link #reserve} or a put. */
    public byte[] array() {
        return bytes;
    }

    /** Makes room for this many bytes, and slack behind them for writes of eight bytes at a time. */
    void reserve(long further) {
        long needed = size + further + ChunkFormat.SLACK;
        if (needed > bytes.length) {
            // Beyond 2 GiB this throws: trees are far smaller.
            bytes = Arrays.copyOf(bytes, Math.toIntExact(Math.max(needed, Math.min(1L << 30, bytes.length * 2L))));
        }
    }

    public void putByte(int value) {
        reserve(1);
        bytes[size++] = (byte) value;
    }

    public void putShort(int value) {
        reserve(2);
        LittleEndian.putShort(bytes, size, (short) value);
        size += 2;
    }

    public void putInt(int value) {
        reserve(4);
        LittleEndian.putInt(bytes, size, value);
        size += 4;
    }

    public void putLong(long value) {
        reserve(8);
        LittleEndian.putLong(bytes, size, value);
        size += 8;
    }

    public void putBytes(byte[] source, int offset, int length) {
        reserve(length);
        System.arraycopy(source, offset, bytes, size, length);
        size += length;
    }

    /** Writes a number: its length, then as many low bytes as it needs. */
    void putNumber(long value) {
        int length = 0;
        while (length < 8 && value != signExtended(value, length)) {
            length++;
        }
        reserve(9);
        bytes[size] = (byte) length;
        LittleEndian.putLong(bytes, size + 1, value);
        size += 1 + length;
    }

    private static long signExtended(long value, int length) {
        return length == 0 ? 0 : value << (64 - 8 * length) >> (64 - 8 * length);
    }
}
