/**
 * Which query server reads which chunk: {@link io.waterwheel.query.dispatch.PreferenceDispatch} and the policies that
 * it is compared with (docs/decisions/0017). Uses catalog.state and tuple.
 */
@NullMarked
package io.waterwheel.query.dispatch;

import org.jspecify.annotations.NullMarked;
