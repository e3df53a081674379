/** The one-process server and its commands. */
@NullMarked
package io.waterwheel.embedded;

import org.jspecify.annotations.NullMarked;
