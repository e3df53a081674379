package io.waterwheel.decode;

import java.nio.charset.StandardCharsets;

/** The start of a foreign value, fit to stand in a message: short, and without control characters. */
final class Snippet {
    private static final int MOST = 40;

    private Snippet() {}

    static String of(byte[] bytes, int from, int to) {
        int length = Math.min(to - from, MOST);
        String text = of(new String(bytes, from, length, StandardCharsets.UTF_8));
        return length < to - from && !text.endsWith("...") ? text + "..." : text;
    }

    static String of(String text) {
        StringBuilder safe = new StringBuilder();
        for (int i = 0; i < Math.min(text.length(), MOST); i++) {
            char c = text.charAt(i);
            safe.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
        }
        return safe.append(text.length() > MOST ? "..." : "").toString();
    }
}
