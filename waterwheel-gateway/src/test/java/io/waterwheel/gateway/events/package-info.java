/** Tests of events. */
@NullMarked
package io.waterwheel.gateway.events;

import org.jspecify.annotations.NullMarked;
