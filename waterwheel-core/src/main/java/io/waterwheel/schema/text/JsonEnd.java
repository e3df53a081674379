package io.waterwheel.schema.text;

/**
 * Where a JSON value ends, by its braces and quotes alone: whether it is one, its parser says. Bytes go through one by
 * one, from the first of the value. Owner: one thread.
 */
public final class JsonEnd {
    private int open;
    private boolean inText;
    private boolean escaped;
    private boolean begun;
    private boolean reached;

    /** Begins anew, with another value. */
    public void reset() {
        open = 0;
        inText = false;
        escaped = false;
        begun = false;
        reached = false;
    }

    /** Whether the last byte was the value's last. */
    public boolean reached() {
        return reached;
    }

    /** Whether a value without braces and quotes ends before this byte. */
    public boolean isBefore(byte c) {
        return begun && open == 0 && !inText && (c == ',' || c == ']' || (c <= ' ' && c >= 0));
    }

    /** Whether the next byte is one of a text's. */
    public boolean inText() {
        return inText;
    }

    public void pass(byte c) {
        begun = true;
        if (inText) {
            inText = escaped || c != '"';
            escaped = !escaped && c == '\\';
            reached = !inText && open == 0;
        } else if (c == '"') {
            inText = true;
        } else if (c == '{' || c == '[') {
            open++;
        } else if (c == '}' || c == ']') {
            open--;
            reached = open <= 0;
        }
    }
}
