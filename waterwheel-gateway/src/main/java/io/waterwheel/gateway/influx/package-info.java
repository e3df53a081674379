/**
 * InfluxDB's line protocol: {@link io.waterwheel.gateway.influx.LineProtocol} reads points,
 * {@link io.waterwheel.gateway.influx.PointRows} makes rows of a stream of them. Pure, on the thread of its caller.
 */
@NullMarked
package io.waterwheel.gateway.influx;

import org.jspecify.annotations.NullMarked;
