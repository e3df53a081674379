package io.waterwheel.embedded;

/** Entry point of the {@code waterwheel} launcher. Exit codes: 2 for a command that is not understood. */
public final class Main {
    private static final String USAGE = """
            Usage: waterwheel COMMAND [ARGUMENTS]

            Commands:
              test    build, check and test everything

            No other command is built in yet.
            """;

    private Main() {}

    public static void main(String[] args) {
        System.err.print(USAGE);
        System.exit(2);
    }
}
