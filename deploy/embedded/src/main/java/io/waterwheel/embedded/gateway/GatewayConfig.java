package io.waterwheel.embedded.gateway;

import io.waterwheel.gateway.GatewaySettings;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A gateway's settings as the configuration has them. */
final class GatewayConfig {
    private GatewayConfig() {}

    /** A registry for what it measures. */
    static Metrics metrics(WaterwheelConfig config) {
        return new Metrics(config.get(Keys.METRICS_STREAMS));
    }

    static GatewaySettings settings(WaterwheelConfig config) {
        return new GatewaySettings(
                config.get(Keys.GATEWAY_HOST),
                config.get(Keys.GATEWAY_PORT),
                config.get(Keys.GATEWAY_CONNECTIONS),
                config.get(Keys.GATEWAY_QUERIES),
                config.get(Keys.GATEWAY_PUSH_MEMORY).bytes(),
                config.get(Keys.GATEWAY_KEY_MEMORY).bytes(),
                hosts(config.get(Keys.GATEWAY_ALLOWED_HOSTS)),
                streams(config.get(Keys.GATEWAY_INFLUX)),
                config.get(Keys.GATEWAY_IDLE_TIMEOUT));
    }

    private static List<String> hosts(String text) {
        return text.equals("own")
                ? List.of()
                : List.of(text.toLowerCase(Locale.ROOT).split(",", -1));
    }

    private static Map<String, String> streams(String text) {
        Map<String, String> streams = new HashMap<>();
        if (!text.equals("measurement")) {
            for (String pair : text.split(",", -1)) {
                int equals = pair.indexOf('=');
                streams.put(pair.substring(0, equals), pair.substring(equals + 1));
            }
        }
        return streams;
    }
}
