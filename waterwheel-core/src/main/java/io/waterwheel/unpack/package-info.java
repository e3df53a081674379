/**
 * Compressed files and bodies, and answers by HTTP, which come whole or fail: a part of one is never taken for all of
 * it.
 *
 * <p>Both libraries below take several packed pieces, one behind the other, as {@code cat a.gz b.gz} and {@code pzstd}
 * make them, and both take a piece that is cut off near its beginning for the end. Used by the command line for files
 * and by the gateway for bodies, and for answers by the gateway and for those of schema registries; enters only what
 * two have in common.
 */
@NullMarked
package io.waterwheel.unpack;

import org.jspecify.annotations.NullMarked;
