package io.waterwheel.cli.input;

/** Where a JSON value ends, by its braces and quotes alone. One thread. */
final class JsonEnd {
    private int open;
    private boolean inText;
    private boolean escaped;
    private boolean begun;
    private boolean reached;

    /** Whether the last byte was the value's. */
    boolean reached() {
        return reached;
    }

    /** Whether a value without braces ends before a byte. */
    boolean isBefore(byte c) {
        return begun && open == 0 && !inText && (c == ',' || c == ']' || (c <= ' ' && c >= 0));
    }

    void pass(byte c) {
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
