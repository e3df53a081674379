package io.waterwheel.decode.protobuf;

import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.tuple.LittleEndian;

/** The bytes of a record, read from the front; lengths are held against what is there. One thread. */
final class WireInput {
    static final int VARINT = 0;
    static final int EIGHT_BYTES = 1;
    static final int LENGTH = 2;
    static final int GROUP = 3;
    static final int END_OF_GROUP = 4;
    static final int FOUR_BYTES = 5;

    private static final int MOST_DEEP = 64;

    byte[] bytes = {};
    int at;
    /** End of the message that is read. */
    int to;

    void begin(byte[] record, int from, int end) {
        bytes = record;
        at = from;
        to = end;
    }

    private static MalformedException damaged(String what) {
        return new MalformedException("not a message of this type, or damaged: " + what);
    }

    boolean hasMore() {
        return at < to;
    }

    /** The number and the wire type of the next field. */
    int tag() throws MalformedException {
        long tag = varint();
        if (tag >>> 32 != 0 || tag >>> 3 == 0) {
            throw damaged("a field number of " + Long.toUnsignedString(tag >>> 3));
        }
        return (int) tag;
    }

    long varint() throws MalformedException {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            if (at == to) {
                throw damaged("it ends within a value");
            }
            int b = bytes[at++];
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw damaged("a number of more than ten bytes");
    }

    int four() throws MalformedException {
        require(4);
        at += 4;
        return LittleEndian.getInt(bytes, at - 4);
    }

    long eight() throws MalformedException {
        require(8);
        at += 8;
        return LittleEndian.getLong(bytes, at - 8);
    }

    private void require(int count) throws MalformedException {
        if (to - at < count) {
            throw damaged("it ends within a value");
        }
    }

    /** The length of bytes that follow, which are there. */
    int length() throws MalformedException {
        long length = varint();
        if (length < 0 || length > to - at) {
            throw damaged("it ends within a value");
        }
        return (int) length;
    }

    /** Passes over the value of a field. */
    void skip(int tag) throws MalformedException {
        skip(tag, 0);
    }

    private void skip(int tag, int deep) throws MalformedException {
        switch (tag & 7) {
            case VARINT -> varint();
            case EIGHT_BYTES -> eight();
            case FOUR_BYTES -> four();
            case LENGTH -> {
                int length = length();
                at += length;
            }
            case GROUP -> {
                if (deep == MOST_DEEP) {
                    throw damaged("groups are more than " + MOST_DEEP + " within each other");
                }
                int inner = tag();
                while ((inner & 7) != END_OF_GROUP) {
                    skip(inner, deep + 1);
                    inner = tag();
                }
                if (inner >>> 3 != tag >>> 3) {
                    throw damaged("a group ends that did not begin");
                }
            }
            default -> throw damaged("a field of wire type " + (tag & 7));
        }
    }
}
