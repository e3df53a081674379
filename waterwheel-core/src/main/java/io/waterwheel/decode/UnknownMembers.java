package io.waterwheel.decode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.util.Arrays;

/**
 * Gathers the members of a JSON object that are no fields, as the text that they are in the record: one object, in
 * which a member below others stands below them again. One thread.
 */
final class UnknownMembers {
    private byte[] record = {};
    private int base;
    private byte[] text = new byte[256];
    private int length;

    /** A record begins. */
    void begin(byte[] bytes, int from) {
        record = bytes;
        base = from;
        length = 0;
        append((byte) '{');
    }

    /** Whether there was none. */
    boolean isEmpty() {
        return length == 1;
    }

    /** The text, whole; the record ends. */
    void end() {
        append((byte) '}');
    }

    byte[] text() {
        return text;
    }

    int length() {
        return length;
    }

    /** The parser is at the name of a member that is none: takes it and its value. */
    void add(JsonParser parser) throws IOException, RejectedRecordException {
        int from = begin(parser);
        JsonToken token = parser.nextToken();
        if (token.isStructStart()) {
            parser.skipChildren();
        } else {
            parser.finishToken();
        }
        comma();
        append(from, base + (int) parser.currentLocation().getByteOffset());
    }

    /** The parser is at the name of a member below which may be some; returns what {@link #leave} is told. */
    int enter(JsonParser parser) throws RejectedRecordException {
        int before = length;
        int from = begin(parser);
        comma();
        // The name in its quotes, as it is written.
        int to = from + 1;
        while (record[to] != '"') {
            to += record[to] == '\\' ? 2 : 1;
        }
        append(from, to + 1);
        append((byte) ':');
        append((byte) '{');
        return before;
    }

    /** What was entered is over. */
    void leave(int before) {
        if (text[length - 1] == '{') {
            length = before;
        } else {
            append((byte) '}');
        }
    }

    private int begin(JsonParser parser) {
        return base + (int) parser.currentTokenLocation().getByteOffset();
    }

    private void comma() {
        if (text[length - 1] != '{') {
            append((byte) ',');
        }
    }

    private void append(int from, int to) throws RejectedRecordException {
        if (length + (to - from) > 2 * TupleBlock.MAX_VALUE_BYTES) {
            throw new RejectedRecordException(
                    RefusalKind.SIZE,
                    "members that are no fields take more than the " + TupleBlock.MAX_VALUE_BYTES
                            + " bytes that a field can hold");
        }
        room(to - from);
        System.arraycopy(record, from, text, length, to - from);
        length += to - from;
    }

    private void append(byte sign) {
        room(1);
        text[length++] = sign;
    }

    private void room(int further) {
        if (length + further > text.length) {
            text = Arrays.copyOf(text, Math.max(2 * text.length, length + further));
        }
    }
}
