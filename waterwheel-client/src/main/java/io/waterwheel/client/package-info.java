/** Asks queries, reads answers, appends tuples. */
@NullMarked
package io.waterwheel.client;

import org.jspecify.annotations.NullMarked;
