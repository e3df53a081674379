/**
 * What workers, servers and gateways measure of themselves, for Prometheus. {@link io.waterwheel.metrics.Metric} is one
 * definition; the definitions stand in one class for each part of the system, such as
 * {@link io.waterwheel.metrics.WayInMetrics}, and docs/metrics.md is generated from them.
 * {@link io.waterwheel.metrics.Metrics} is the registry of one worker or gateway: it hands out a
 * {@link io.waterwheel.metrics.Counter} or {@link io.waterwheel.metrics.Histogram} once, which is then observed without
 * a look-up or a lock, and it reads gauges only when it is scraped. {@link io.waterwheel.metrics.Scrape} is the page.
 *
 * <p>Observations are made once a block, a flush, a call or a query, never once a tuple. Uses no other package.
 */
@NullMarked
package io.waterwheel.metrics;

import org.jspecify.annotations.NullMarked;
