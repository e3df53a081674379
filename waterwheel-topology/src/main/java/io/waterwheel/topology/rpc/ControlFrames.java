package io.waterwheel.topology.rpc;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Control messages as they travel, several in the body of one action "control". Each is: target length (u16), target
 * (UTF-8), message length (i32), message; big endian.
 */
final class ControlFrames {
    static final String ACTION = "control";

    /** One control message and whom it is for. */
    @SuppressWarnings("ArrayRecordComponent") // bytes on their way; never compared
    record Frame(String target, byte[] message) {}

    private ControlFrames() {}

    static byte[] write(List<Frame> frames) {
        int length = 0;
        List<byte[]> targets = new ArrayList<>(frames.size());
        for (Frame frame : frames) {
            byte[] target = frame.target().getBytes(StandardCharsets.UTF_8);
            targets.add(target);
            length += 6 + target.length + frame.message().length;
        }
        ByteBuffer body = ByteBuffer.allocate(length);
        for (int i = 0; i < frames.size(); i++) {
            body.putShort((short) targets.get(i).length).put(targets.get(i));
            body.putInt(frames.get(i).message().length).put(frames.get(i).message());
        }
        return body.array();
    }

    static List<Frame> read(byte[] bytes) {
        ByteBuffer body = ByteBuffer.wrap(bytes);
        List<Frame> frames = new ArrayList<>();
        while (body.hasRemaining()) {
            int targetLength = body.remaining() < 2 ? -1 : body.getShort() & 0xFFFF;
            byte[] target = take(body, targetLength);
            int length = body.remaining() < 4 ? -1 : body.getInt();
            frames.add(new Frame(new String(target, StandardCharsets.UTF_8), take(body, length)));
        }
        return frames;
    }

    private static byte[] take(ByteBuffer body, int length) {
        if (length < 0 || length > body.remaining()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_CONTROL,
                    "control messages: at byte " + body.position() + " of " + body.limit() + " a length of " + length
                            + ": expected at most " + body.remaining());
        }
        byte[] bytes = new byte[length];
        body.get(bytes);
        return bytes;
    }
}
