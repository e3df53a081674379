package io.waterwheel.query.function;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.schema.text.MemberPath;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the value at a path in JSON text, without making anything of the rest: what stands behind the value is not
 * looked at. One thread.
 */
final class JsonScan {
    /** What stands at the path. */
    enum Kind {
        /** Nothing, a null, or text that is no JSON. */
        NONE,
        TEXT,
        NUMBER,
        TRUTH,
        /** An object or an array. */
        STRUCTURE
    }

    /** How deep values may lie in each other that are passed over. */
    private static final int MOST_DEPTH = 64;

    private static final String ESCAPED = "\"\\/bfnrt";
    private static final String PLAIN = "\"\\/\b\f\n\r\t";
    private static final byte[] TRUE = "true".getBytes(UTF_8);
    private static final byte[] FALSE = "false".getBytes(UTF_8);
    private static final byte[] NULL = "null".getBytes(UTF_8);
    private static final byte[] NOTHING = new byte[0];

    /** By step, the name of a member; null for an element. */
    private final byte[] @Nullable [] names;

    private final int[] elements;

    private byte[] bytes = NOTHING;
    private int at;
    private int end;
    private boolean escaped;
    private byte[] name = new byte[64];

    private int from;
    private int to;

    JsonScan(List<MemberPath.Step> path) {
        this.names = new byte[path.size()][];
        this.elements = new int[path.size()];
        for (int s = 0; s < names.length; s++) {
            MemberPath.Step step = path.get(s);
            names[s] = step.element() ? null : step.name().getBytes(UTF_8);
            elements[s] = step.element() ? Integer.parseInt(step.name()) : 0;
        }
    }

    /** Looks for the value in bytes [first, last). */
    Kind find(byte[] in, int first, int last) {
        bytes = in;
        at = first;
        end = last;
        for (int s = 0; s < names.length; s++) {
            byte[] member = names[s];
            if (!(member == null ? goToElement(elements[s]) : goToMember(member))) {
                return Kind.NONE;
            }
        }
        return value();
    }

    /** Where the value that was found begins; that of a text behind its quote. */
    int from() {
        return from;
    }

    /** Where it ends; that of a text before its quote. */
    int to() {
        return to;
    }

    /**
     * Writes the text that was found, without its escapes.
     *
     * @param into with room for as many bytes as it has
     * @return where it ends, or -1 when an escape is none
     */
    int text(byte[] into, int begin) {
        if (!escaped) {
            System.arraycopy(bytes, from, into, begin, to - from);
            return begin + to - from;
        }
        return unescaped(from, to, into, begin);
    }

    private Kind value() {
        blanks();
        from = at;
        if (at >= end) {
            return Kind.NONE;
        }
        Kind kind =
                switch (bytes[at]) {
                    case '"' -> Kind.TEXT;
                    case '{', '[' -> Kind.STRUCTURE;
                    case 't', 'f' -> Kind.TRUTH;
                    case 'n' -> Kind.NONE;
                    default -> Kind.NUMBER;
                };
        if (kind == Kind.NONE || !pass() || (at < end && " \t\n\r,]}".indexOf(bytes[at]) < 0)) {
            return Kind.NONE;
        }
        to = at;
        if (kind == Kind.TEXT) {
            from++;
            to--;
        }
        return kind;
    }

    private void blanks() {
        while (at < end && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\n' || bytes[at] == '\r')) {
            at++;
        }
    }

    /** Passes a sign, and the blanks around it, if it comes next. */
    private boolean sign(char sign) {
        blanks();
        if (at < end && bytes[at] == sign) {
            at++;
            blanks();
            return true;
        }
        return false;
    }

    private boolean goToMember(byte[] wanted) {
        if (!sign('{')) {
            return false;
        }
        do {
            int begin = at + 1;
            if (!passText()) {
                return false;
            }
            boolean found = isName(begin, at - 1, wanted);
            if (!sign(':')) {
                return false;
            }
            if (found) {
                return true;
            }
            if (!pass()) {
                return false;
            }
        } while (sign(','));
        return false;
    }

    private boolean isName(int begin, int last, byte[] wanted) {
        if (!escaped) {
            return Arrays.equals(bytes, begin, last, wanted, 0, wanted.length);
        }
        if (name.length < last - begin) {
            name = new byte[2 * (last - begin)];
        }
        int length = unescaped(begin, last, name, 0);
        return length >= 0 && Arrays.equals(name, 0, length, wanted, 0, wanted.length);
    }

    private boolean goToElement(int number) {
        if (!sign('[') || (at < end && bytes[at] == ']')) {
            return false;
        }
        for (int i = 0; i < number; i++) {
            if (!pass() || !sign(',')) {
                return false;
            }
        }
        return true;
    }

    /** Passes a value; false when there is none. */
    private boolean pass() {
        return pass(0);
    }

    private boolean pass(int depth) {
        if (at >= end || depth == MOST_DEPTH) {
            return false;
        }
        return switch (bytes[at]) {
            case '"' -> passText();
            case '{', '[' -> passStructure(depth);
            case 't' -> passWord(TRUE);
            case 'f' -> passWord(FALSE);
            case 'n' -> passWord(NULL);
            default -> passNumber();
        };
    }

    private boolean passWord(byte[] word) {
        if (end - at < word.length || !Arrays.equals(bytes, at, at + word.length, word, 0, word.length)) {
            return false;
        }
        at += word.length;
        return true;
    }

    /** Passes a text in quotes, and notes whether it has escapes. */
    private boolean passText() {
        escaped = false;
        if (at >= end || bytes[at] != '"') {
            return false;
        }
        for (at++; at < end; at++) {
            byte one = bytes[at];
            if (one == '"') {
                at++;
                return true;
            } else if (one == '\\') {
                escaped = true;
                at++;
            } else if (one >= 0 && one < ' ') {
                return false;
            }
        }
        return false;
    }

    private boolean passStructure(int depth) {
        boolean object = bytes[at] == '{';
        byte close = (byte) (object ? '}' : ']');
        at++;
        blanks();
        if (at < end && bytes[at] == close) {
            at++;
            return true;
        }
        do {
            if (object && !(passText() && sign(':'))) {
                return false;
            }
            if (!pass(depth + 1)) {
                return false;
            }
        } while (sign(','));
        if (at >= end || bytes[at] != close) {
            return false;
        }
        at++;
        return true;
    }

    private boolean passNumber() {
        if (at < end && bytes[at] == '-') {
            at++;
        }
        boolean zero = at < end && bytes[at] == '0';
        int digits = digits();
        if (digits == 0 || (zero && digits > 1)) {
            return false;
        }
        if (at < end && bytes[at] == '.') {
            at++;
            if (digits() == 0) {
                return false;
            }
        }
        if (at < end && (bytes[at] == 'e' || bytes[at] == 'E')) {
            at++;
            if (at < end && (bytes[at] == '+' || bytes[at] == '-')) {
                at++;
            }
            return digits() > 0;
        }
        return true;
    }

    private int digits() {
        int begin = at;
        while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
            at++;
        }
        return at - begin;
    }

    private int unescaped(int begin, int last, byte[] into, int place) {
        int out = place;
        int i = begin;
        while (i < last) {
            if (bytes[i] != '\\') {
                into[out++] = bytes[i++];
                continue;
            }
            byte letter = bytes[i + 1];
            if (letter == 'u') {
                int unit = unit(i + 1, last);
                int point = unit;
                i += 6;
                if (unit >= 0 && Character.isSurrogate((char) unit)) {
                    boolean pair = i + 1 < last && bytes[i] == '\\' && bytes[i + 1] == 'u';
                    int low = pair ? unit(i + 1, last) : -1;
                    boolean valid =
                            low >= 0 && Character.isHighSurrogate((char) unit) && Character.isLowSurrogate((char) low);
                    point = valid ? Character.toCodePoint((char) unit, (char) low) : -1;
                    i += 6;
                }
                if (point < 0) {
                    return -1;
                }
                out = encode(point, into, out);
                continue;
            }
            int plain = ESCAPED.indexOf(letter);
            if (plain < 0) {
                return -1;
            }
            into[out++] = (byte) PLAIN.charAt(plain);
            i += 2;
        }
        return out;
    }

    /** The four hexadecimal digits behind a place; -1 when they are none. */
    private int unit(int place, int last) {
        if (place + 4 >= last) {
            return -1;
        }
        int unit = 0;
        for (int i = place + 1; i <= place + 4; i++) {
            int digit = Character.digit(bytes[i], 16);
            if (digit < 0) {
                return -1;
            }
            unit = unit << 4 | digit;
        }
        return unit;
    }

    private static int encode(int point, byte[] into, int place) {
        int out = place;
        if (point < 0x80) {
            into[out++] = (byte) point;
        } else if (point < 0x800) {
            into[out++] = (byte) (0xC0 | point >> 6);
            into[out++] = (byte) (0x80 | (point & 0x3F));
        } else if (point < 0x10000) {
            into[out++] = (byte) (0xE0 | point >> 12);
            into[out++] = (byte) (0x80 | (point >> 6 & 0x3F));
            into[out++] = (byte) (0x80 | (point & 0x3F));
        } else {
            into[out++] = (byte) (0xF0 | point >> 18);
            into[out++] = (byte) (0x80 | (point >> 12 & 0x3F));
            into[out++] = (byte) (0x80 | (point >> 6 & 0x3F));
            into[out++] = (byte) (0x80 | (point & 0x3F));
        }
        return out;
    }
}
