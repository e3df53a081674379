package io.waterwheel.trino;

import com.google.inject.Inject;
import io.airlift.bootstrap.LifeCycleManager;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorCapabilities;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.transaction.IsolationLevel;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** One catalog: the streams of one Waterwheel. Thread-safe. */
final class WaterwheelConnector implements Connector {
    private final LifeCycleManager lifeCycle;
    private final Clients clients;
    private final ColumnTypes types;
    private final SessionProperties properties;
    private final StreamSplitManager splits;
    private final StreamPageSources pages;
    private final Map<ConnectorTransactionHandle, StreamMetadata> open = new ConcurrentHashMap<>();

    @Inject
    WaterwheelConnector(
            LifeCycleManager lifeCycle,
            Clients clients,
            ColumnTypes types,
            SessionProperties properties,
            StreamSplitManager splits,
            StreamPageSources pages) {
        this.lifeCycle = lifeCycle;
        this.clients = clients;
        this.types = types;
        this.properties = properties;
        this.splits = splits;
        this.pages = pages;
    }

    @Override
    public ConnectorTransactionHandle beginTransaction(IsolationLevel isolation, boolean readOnly, boolean autoCommit) {
        // Positions pin what is below them for each statement of the transaction; what is above may come and go.
        IsolationLevel.checkConnectorSupports(IsolationLevel.READ_COMMITTED, isolation);
        StreamTransaction transaction = new StreamTransaction(UUID.randomUUID());
        open.put(transaction, new StreamMetadata(clients, types));
        return transaction;
    }

    @Override
    public ConnectorMetadata getMetadata(ConnectorSession session, ConnectorTransactionHandle transaction) {
        StreamMetadata metadata = open.get(transaction);
        if (metadata == null) {
            throw new IllegalArgumentException("no such transaction: " + transaction);
        }
        return metadata;
    }

    @Override
    public void commit(ConnectorTransactionHandle transaction) {
        open.remove(transaction);
    }

    @Override
    public void rollback(ConnectorTransactionHandle transaction) {
        open.remove(transaction);
    }

    @Override
    public ConnectorSplitManager getSplitManager() {
        return splits;
    }

    @Override
    public ConnectorPageSourceProvider getPageSourceProvider() {
        return pages;
    }

    @Override
    public List<PropertyMetadata<?>> getSessionProperties() {
        return properties.all();
    }

    @Override
    public Set<ConnectorCapabilities> getCapabilities() {
        return Set.of(ConnectorCapabilities.NOT_NULL_COLUMN_CONSTRAINT);
    }

    @Override
    public void shutdown() {
        lifeCycle.stop();
    }
}
