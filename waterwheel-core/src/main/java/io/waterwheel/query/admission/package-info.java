/**
 * Which queries run, and which wait: two lanes by estimated cost, a fair share for each client, and the list of what is
 * open. Knows nothing of how a query is answered.
 */
@NullMarked
package io.waterwheel.query.admission;

import org.jspecify.annotations.NullMarked;
