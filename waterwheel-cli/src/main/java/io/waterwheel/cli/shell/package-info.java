/**
 * Statements that a person types at a terminal: {@code SqlShell} reads, asks and prints; {@code StatementParser} says
 * when a statement is whole, {@code StatementCompleter} what may come next. JLine reads the keys, and is here alone.
 * Runs on the command's thread, but for answers, which one thread of the shell reads so that Ctrl-C can end them.
 */
@NullMarked
package io.waterwheel.cli.shell;

import org.jspecify.annotations.NullMarked;
