package io.waterwheel.cli.text;

/** A number and what it counts: {@code 1 chunk}, {@code 2 chunks}. Stateless. */
public final class Counted {
    private Counted() {}

    /**
     * The number and the word.
     *
     * @param one the word for one of them, to which an s makes the word for many
     */
    public static String of(long number, String one) {
        return number + " " + one + (number == 1 ? "" : "s");
    }
}
