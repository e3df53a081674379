package io.waterwheel.gateway.rows;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.schema.text.JsonEnd;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a JSON array that is a body, where they lie in it: nothing is copied. What an element is, its decoder
 * says. Line ends between the parts of one become spaces, so that a record is a line. One thread.
 */
final class ArrayElements {
    private final byte[] bytes;
    private final JsonEnd end = new JsonEnd();
    private int at;
    private int line = 1;
    private boolean isFirst = true;

    private int from;
    private int to;
    private int firstLine;

    private ArrayElements(byte[] bytes, int at) {
        this.bytes = bytes;
        this.at = at;
    }

    /** Those of a body whose first character opens an array; null where it is another. */
    static @Nullable ArrayElements of(byte[] bytes, int begin) {
        ArrayElements elements = new ArrayElements(bytes, begin);
        if (elements.passSpaces() != '[') {
            return null;
        }
        elements.at++;
        return elements;
    }

    /** Whether there is one more; it is the present one then. */
    boolean next() {
        int c = passSpaces();
        if (!isFirst && c == ',') {
            at++;
            c = passSpaces();
        } else if (!isFirst && c != ']') {
            throw bad(c < 0 ? "the array is not closed" : "expected a comma or ] behind an element");
        } else if (c == ']') {
            at++;
            if (passSpaces() >= 0) {
                throw bad("expected nothing behind the array");
            }
            return false;
        }
        if (c < 0 || c == ',' || c == ']' || c == '}') {
            throw bad(c < 0 ? "the array is not closed" : "expected an element");
        }
        isFirst = false;
        from = at;
        firstLine = line;
        pass();
        to = at;
        return true;
    }

    private void pass() {
        end.reset();
        while (at < bytes.length && !end.isBefore(bytes[at])) {
            byte c = bytes[at];
            end.pass(c);
            if (!end.inText() && (c == '\n' || c == '\r')) {
                line += c == '\n' ? 1 : 0;
                bytes[at] = ' ';
            }
            at++;
            if (end.reached()) {
                return;
            }
        }
        if (at == bytes.length) {
            throw bad("the array is not closed");
        }
    }

    private int passSpaces() {
        while (at < bytes.length && isSpace(bytes[at])) {
            line += bytes[at] == '\n' ? 1 : 0;
            at++;
        }
        return at < bytes.length ? bytes[at] & 0xFF : -1;
    }

    private static boolean isSpace(byte c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }

    private HttpFailure bad(String what) {
        return HttpFailure.bad(
                ErrorCode.BAD_REQUEST, "the body is no JSON array of rows: " + what, "line " + line, null);
    }

    /** Where the present one begins. */
    int from() {
        return from;
    }

    /** Behind its last byte. */
    int to() {
        return to;
    }

    /** The line that it begins in, from 1. */
    int line() {
        return firstLine;
    }
}
