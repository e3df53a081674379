package io.waterwheel.client.admin;

/**
 * A process that answers {@code GET /metrics}.
 *
 * @param role worker or gateway
 * @param place {@code HOST:PORT}
 * @param namespace of the streams that it serves
 * @param topology by which it serves them
 */
public record MetricsPlace(String role, String place, String namespace, String topology) {
    /** As a coordinator tells it. */
    public static MetricsPlace of(io.waterwheel.wire.proto.MetricsPlace found) {
        return new MetricsPlace(found.getRole(), found.getPlace(), found.getNamespace(), found.getTopology());
    }
}
