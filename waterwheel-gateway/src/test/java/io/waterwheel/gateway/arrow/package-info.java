/** Tests of Arrow bodies. */
@NullMarked
package io.waterwheel.gateway.arrow;

import org.jspecify.annotations.NullMarked;
