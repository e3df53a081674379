/** Answers on their way out: rows as text, CSV, JSON or Arrow, the status page, the terminal. Uses the client. */
@NullMarked
package io.waterwheel.cli.output;

import org.jspecify.annotations.NullMarked;
