package io.waterwheel.trino;

import com.google.inject.Injector;
import io.airlift.bootstrap.Bootstrap;
import io.airlift.configuration.ConfigBinder;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorContext;
import io.trino.spi.connector.ConnectorFactory;
import io.trino.spi.type.TypeManager;
import java.util.Map;

/** Makes a connector of each catalog file that says {@code connector.name=waterwheel}. */
final class WaterwheelConnectorFactory implements ConnectorFactory {
    @Override
    public String getName() {
        return "waterwheel";
    }

    /** Unknown properties, and values that are none, are errors of Airlift's, which name the property. */
    @Override
    public Connector create(String catalog, Map<String, String> properties, ConnectorContext context) {
        Bootstrap bootstrap = new Bootstrap("io.waterwheel.trino.catalog." + catalog, binder -> {
            ConfigBinder.configBinder(binder).bindConfig(WaterwheelConfig.class);
            binder.bind(TypeManager.class).toInstance(context.getTypeManager());
            binder.bind(Clients.class).in(com.google.inject.Scopes.SINGLETON);
            binder.bind(SessionProperties.class).in(com.google.inject.Scopes.SINGLETON);
            binder.bind(ColumnTypes.class).in(com.google.inject.Scopes.SINGLETON);
            binder.bind(StreamSplitManager.class).in(com.google.inject.Scopes.SINGLETON);
            binder.bind(StreamPageSources.class).in(com.google.inject.Scopes.SINGLETON);
            binder.bind(WaterwheelConnector.class).in(com.google.inject.Scopes.SINGLETON);
        });
        Injector injector = bootstrap
                .doNotInitializeLogging()
                .disableSystemProperties()
                .setRequiredConfigurationProperties(properties)
                .initialize();
        return injector.getInstance(WaterwheelConnector.class);
    }
}
