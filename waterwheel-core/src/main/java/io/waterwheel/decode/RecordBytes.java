package io.waterwheel.decode;

import java.nio.ByteBuffer;

/** The bytes of one record's value in an array: the buffer's own where it has one, else a copy that is used again. */
final class RecordBytes {
    byte[] array = {};
    int from;
    int length;
    private byte[] copy = {};

    /** The bytes of a value, until the next call; its position does not move. */
    void of(ByteBuffer value) {
        length = value.remaining();
        if (value.hasArray()) {
            array = value.array();
            from = value.arrayOffset() + value.position();
            return;
        }
        if (copy.length < length) {
            copy = new byte[length];
        }
        value.get(value.position(), copy, 0, length);
        array = copy;
        from = 0;
    }
}
