package io.waterwheel.gateway;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How a gateway runs.
 *
 * @param host address at which it listens
 * @param port at which it listens, 0 to 65,535; 0 is any free one
 * @param connections most at a time, at least 1; further ones wait to be accepted
 * @param queries most that are open at a time, at least 1; one more is refused with 429
 * @param pushBytes of the bodies of all requests, what they expand to, and rows that wait to be stored
 * @param keyBytes of the keys of appends that are remembered
 * @param allowedHosts names beside its own, in lower case, by which requests may call a gateway; empty: where it
 *     listens on loopback its own alone, elsewhere any
 * @param influx by database or bucket of InfluxDB, or DATABASE/MEASUREMENT, the stream that its points go to
 * @param idle how long a connection may rest, and how long a client may take for 64 KiB of an answer
 */
public record GatewaySettings(
        String host,
        int port,
        int connections,
        int queries,
        long pushBytes,
        long keyBytes,
        List<String> allowedHosts,
        Map<String, String> influx,
        Duration idle) {
    /** What the configuration's keys have where nothing was said. */
    public static final GatewaySettings DEFAULT = new GatewaySettings(
            "127.0.0.1", 7071, 1_000, 64, 128L << 20, 128L << 20, List.of(), Map.of(), Duration.ofSeconds(30));

    public GatewaySettings {
        allowedHosts = List.copyOf(allowedHosts);
        influx = Map.copyOf(influx);
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port: expected 0 to 65535, got " + port);
        }
        if (connections < 1 || queries < 1) {
            throw new IllegalArgumentException(
                    "expected at least 1 connection and 1 query, got " + connections + " and " + queries);
        }
        if (idle.toMillis() < 1) {
            throw new IllegalArgumentException("idle: expected at least 1 ms, got " + idle);
        }
    }

    /** The same at another port. */
    public GatewaySettings withPort(int other) {
        return new GatewaySettings(host, other, connections, queries, pushBytes, keyBytes, allowedHosts, influx, idle);
    }

    /** The same with these names of hosts allowed. */
    public GatewaySettings withAllowedHosts(List<String> names) {
        return new GatewaySettings(host, port, connections, queries, pushBytes, keyBytes, names, influx, idle);
    }

    /** The same with streams for InfluxDB's databases. */
    public GatewaySettings withInflux(Map<String, String> streams) {
        return new GatewaySettings(host, port, connections, queries, pushBytes, keyBytes, allowedHosts, streams, idle);
    }
}
