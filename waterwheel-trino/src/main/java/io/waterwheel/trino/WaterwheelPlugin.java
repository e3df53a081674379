package io.waterwheel.trino;

import io.trino.spi.Plugin;
import io.trino.spi.connector.ConnectorFactory;
import java.util.List;

/** What Trino finds in the plugin's folder. */
public final class WaterwheelPlugin implements Plugin {
    @Override
    public Iterable<ConnectorFactory> getConnectorFactories() {
        return List.of(new WaterwheelConnectorFactory());
    }
}
