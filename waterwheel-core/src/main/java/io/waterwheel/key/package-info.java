/** Keys from fields, and from shapes on a map to key intervals. */
@NullMarked
package io.waterwheel.key;

import org.jspecify.annotations.NullMarked;
