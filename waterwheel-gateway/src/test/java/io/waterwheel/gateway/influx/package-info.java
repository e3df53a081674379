/** Tests of InfluxDB's line protocol. */
@NullMarked
package io.waterwheel.gateway.influx;

import org.jspecify.annotations.NullMarked;
