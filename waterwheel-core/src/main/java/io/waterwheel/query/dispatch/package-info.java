/**
 * Which query server reads which chunk ({@link io.waterwheel.query.dispatch.LocalityAwareDispatch},
 * docs/decisions/0017). The test code here has the policies that it is compared with. Uses catalog.state and tuple.
 */
@NullMarked
package io.waterwheel.query.dispatch;

import org.jspecify.annotations.NullMarked;
