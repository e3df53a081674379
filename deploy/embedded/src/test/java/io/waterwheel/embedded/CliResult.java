package io.waterwheel.embedded;

/** A command that has ended: its exit code, standard output and standard error. */
record CliResult(int code, String out, String err) {}
