package io.waterwheel.cli.proposal;

/** Says that lines stand before the names of a file: it is to be looked at behind them. */
final class LinesBefore extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** How many there are, empty ones too. */
    final int lines;

    LinesBefore(int lines, String message) {
        super(message);
        this.lines = lines;
    }
}
