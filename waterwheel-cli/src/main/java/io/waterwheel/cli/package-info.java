/**
 * The command line over the client: {@link io.waterwheel.cli.Cli} runs a command and returns its exit code. Data goes
 * to standard output, all else to standard error. Uses the client and the core's model, query and decode. One command
 * is one thread.
 */
@NullMarked
package io.waterwheel.cli;

import org.jspecify.annotations.NullMarked;
