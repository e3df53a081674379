/**
 * Files and topics on their way in: lines and cells of CSV, a schema proposed from a sample, the progress of an append.
 * Uses the client and the core's schema and decode.
 */
@NullMarked
package io.waterwheel.cli.input;

import org.jspecify.annotations.NullMarked;
