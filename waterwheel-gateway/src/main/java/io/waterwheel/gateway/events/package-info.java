/**
 * What happens to a server's streams, as events: the differences of one look at its status to the next. Read
 * {@link io.waterwheel.gateway.events.ReportChanges} first, which is pure. Uses reports and JSON.
 */
@NullMarked
package io.waterwheel.gateway.events;

import org.jspecify.annotations.NullMarked;
