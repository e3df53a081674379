package io.waterwheel.embedded.gateway;

import io.waterwheel.gateway.GatewaySettings;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;

/** A gateway's settings as the configuration has them. */
final class GatewayConfig {
    private GatewayConfig() {}

    static GatewaySettings settings(WaterwheelConfig config) {
        return new GatewaySettings(
                config.get(Keys.GATEWAY_HOST),
                config.get(Keys.GATEWAY_PORT),
                config.get(Keys.GATEWAY_CONNECTIONS),
                config.get(Keys.GATEWAY_QUERIES),
                config.get(Keys.GATEWAY_PUSH_MEMORY).bytes(),
                config.get(Keys.GATEWAY_IDLE_TIMEOUT));
    }
}
