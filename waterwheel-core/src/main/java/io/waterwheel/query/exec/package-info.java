/** How a query is answered: decomposition, dispatch, reading, merging. */
@NullMarked
package io.waterwheel.query.exec;

import org.jspecify.annotations.NullMarked;
