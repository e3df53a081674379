/**
 * The command line over the client: {@link io.waterwheel.cli.Cli} runs a command and returns its exit code. Each
 * command is a class; data goes to standard output, all else to standard error. One command is one thread. Uses
 * cli.input, cli.text, cli.output and the client; of the core what questions and streams are made of, chunk and store
 * to look into files, and key.
 */
@NullMarked
package io.waterwheel.cli;

import org.jspecify.annotations.NullMarked;
