package io.waterwheel.tuple;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads and writes little-endian numbers in byte arrays: the byte order of blocks, leaves and chunk files. */
public final class LittleEndian {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LittleEndian() {}

    public static short getShort(byte[] bytes, int offset) {
        return (short) SHORT.get(bytes, offset);
    }

    public static void putShort(byte[] bytes, int offset, short value) {
        SHORT.set(bytes, offset, value);
    }

    public static int getInt(byte[] bytes, int offset) {
        return (int) INT.get(bytes, offset);
    }

    public static void putInt(byte[] bytes, int offset, int value) {
        INT.set(bytes, offset, value);
    }

    public static long getLong(byte[] bytes, int offset) {
        return (long) LONG.get(bytes, offset);
    }

    public static void putLong(byte[] bytes, int offset, long value) {
        LONG.set(bytes, offset, value);
    }

    public static float getFloat(byte[] bytes, int offset) {
        return Float.intBitsToFloat(getInt(bytes, offset));
    }

    public static double getDouble(byte[] bytes, int offset) {
        return Double.longBitsToDouble(getLong(bytes, offset));
    }

    /** Writes the first longs, from the array's beginning on. */
    public static void putLongs(byte[] bytes, long[] values, int count) {
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().put(values, 0, count);
    }
}
