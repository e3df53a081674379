/** CSV, JSON and block records become tuple blocks. */
@NullMarked
package io.waterwheel.decode;

import org.jspecify.annotations.NullMarked;
