/** Storm bolts: a call becomes a core event, its effects become calls. */
@NullMarked
package io.waterwheel.topology.bolt;

import org.jspecify.annotations.NullMarked;
