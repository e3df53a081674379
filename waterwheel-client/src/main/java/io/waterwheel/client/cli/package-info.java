/** The command line over the client. */
@NullMarked
package io.waterwheel.client.cli;

import org.jspecify.annotations.NullMarked;
