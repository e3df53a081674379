package io.waterwheel.gateway.arrow;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.tuple.LittleEndian;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.flatbuf.Message;
import org.jspecify.annotations.Nullable;

/**
 * The messages of an Arrow IPC stream that lies in memory, one after another [Arrow columnar format, Encapsulated
 * message format]. One thread.
 */
final class IpcMessages {
    private static final int CONTINUATION = -1;

    private final byte[] bytes;
    private int next;
    private @Nullable Message message;
    private int bodyFrom;
    private int bodyLength;

    IpcMessages(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Goes to the next message.
     *
     * @return false at the end of the stream
     * @throws HttpFailure when the stream is cut off, or is none
     */
    boolean next() {
        if (next == bytes.length) {
            return false;
        }
        int length = integer();
        if (length == CONTINUATION) {
            // Writers before Arrow 0.15 leave the mark out.
            length = integer();
        }
        if (length == 0) {
            if (next != bytes.length) {
                throw bad((bytes.length - next) + " bytes follow the end of the stream");
            }
            return false;
        }
        if (length < 0 || length > bytes.length - next) {
            throw bad("a message of " + Integer.toUnsignedLong(length) + " bytes begins at byte " + next
                    + ", and the body has " + (bytes.length - next) + " more");
        }
        ByteBuffer metadata = ByteBuffer.wrap(bytes, next, length).slice().order(ByteOrder.LITTLE_ENDIAN);
        Message read = Message.getRootAsMessage(metadata);
        next += length;
        long body = read.bodyLength();
        if (body < 0 || body > bytes.length - next) {
            throw bad("a message at byte " + next + " has " + body + " bytes of data, and the body has "
                    + (bytes.length - next) + " more");
        }
        message = read;
        bodyFrom = next;
        bodyLength = (int) body;
        next += bodyLength;
        return true;
    }

    private int integer() {
        if (bytes.length - next < 4) {
            throw bad("it is cut off at byte " + bytes.length);
        }
        int value = LittleEndian.getInt(bytes, next);
        next += 4;
        return value;
    }

    /** The present message. */
    Message message() {
        Message present = message;
        if (present == null) {
            throw new IllegalStateException("there is no message yet");
        }
        return present;
    }

    /** Where the data of the present message begin. */
    int bodyFrom() {
        return bodyFrom;
    }

    /** Bytes of data of the present message. */
    int bodyLength() {
        return bodyLength;
    }

    static HttpFailure bad(String why) {
        return bad(why, null);
    }

    static HttpFailure bad(String why, @Nullable Throwable cause) {
        return HttpFailure.bad(
                ErrorCode.BAD_REQUEST, "the body is no Arrow stream that can be read: " + why, null, cause);
    }
}
