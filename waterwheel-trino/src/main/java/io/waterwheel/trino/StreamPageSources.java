package io.waterwheel.trino;

import com.google.inject.Inject;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.MemoryContext;
import java.util.List;
import java.util.Optional;

/** Reads splits. Thread-safe. */
final class StreamPageSources implements ConnectorPageSourceProvider {
    private final Clients clients;

    @Inject
    StreamPageSources(Clients clients) {
        this.clients = clients;
    }

    @Override
    public ConnectorPageSource createPageSource(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorSplit split,
            ConnectorTableHandle table,
            Optional<ConnectorTableCredentials> credentials,
            List<ColumnHandle> columns,
            DynamicFilter dynamicFilter,
            MemoryContext memory) {
        StreamTable scan = (StreamTable) table;
        // Behind an aggregate or a limit a filter is about other rows than those that are read.
        boolean filters = scan.aggregates().isEmpty() && scan.limit().isEmpty();
        return new AnswerPages(
                clients,
                new SplitQuery(
                        scan,
                        (StreamSplit) split,
                        columns.stream().map(StreamColumn.class::cast).toList(),
                        SessionProperties.queryTimeout(session)),
                filters ? dynamicFilter : DynamicFilter.EMPTY,
                memory,
                SessionProperties.dynamicFilterWaitMillis(session));
    }
}
