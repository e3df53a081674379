package io.waterwheel.trino;

import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.AggregateFunction;
import io.trino.spi.connector.AggregationApplicationResult;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.connector.LimitApplicationResult;
import io.trino.spi.connector.RelationColumnsMetadata;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SortItem;
import io.trino.spi.connector.TopNApplicationResult;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Schema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Streams as tables, and what of a statement their server does; of one transaction. Thread-safe. */
final class StreamMetadata implements ConnectorMetadata {
    /** The one schema. */
    static final String SCHEMA = "default";

    /** Beyond, a split's rows are not asked for in an order: the server holds them in memory. */
    private static final long MOST_ORDERED = 10_000;

    /** For calls while a statement is planned, where servers are busy. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final int MOST_SORTED_BY = 16;

    private final Clients clients;
    private final ColumnTypes types;
    /** By the stream's name in Trino. */
    private final Map<String, Optional<StreamDetails>> described = new ConcurrentHashMap<>();
    /** By the stream's name in Trino. */
    private final Map<String, Map<Integer, Long>> pinned = new ConcurrentHashMap<>();

    StreamMetadata(Clients clients, ColumnTypes types) {
        this.clients = clients;
        this.types = types;
    }

    private <T> T asked(Function<WaterwheelClient, T> call) {
        try {
            return clients.patiently(PATIENCE, call);
        } catch (WaterwheelException e) {
            throw Failures.of(e);
        }
    }

    private @Nullable StreamDetails find(SchemaTableName name) {
        if (!name.getSchemaName().equals(SCHEMA)) {
            return null;
        }
        return described
                .computeIfAbsent(
                        name.getTableName(),
                        stream -> Optional.ofNullable(asked(client -> Streams.find(client, stream))))
                .orElse(null);
    }

    private StreamDetails details(ConnectorTableHandle handle) {
        SchemaTableName name = ((StreamTable) handle).name();
        StreamDetails stream = find(name);
        if (stream == null) {
            throw new TrinoException(StandardErrorCode.TABLE_NOT_FOUND, "stream " + name + " has been dropped");
        }
        return stream;
    }

    @Override
    public List<String> listSchemaNames(ConnectorSession session) {
        return List.of(SCHEMA);
    }

    @Override
    public List<SchemaTableName> listTables(ConnectorSession session, Optional<String> schema) {
        if (schema.isPresent() && !schema.get().equals(SCHEMA)) {
            return List.of();
        }
        return asked(Streams::all).keySet().stream()
                .map(stream -> new SchemaTableName(SCHEMA, stream))
                .toList();
    }

    @Override
    public @Nullable ConnectorTableHandle getTableHandle(
            ConnectorSession session,
            SchemaTableName name,
            Optional<ConnectorTableVersion> from,
            Optional<ConnectorTableVersion> to) {
        if (from.isPresent() || to.isPresent()) {
            throw new TrinoException(
                    StandardErrorCode.NOT_SUPPORTED, "This connector does not support versioned tables");
        }
        StreamDetails stream = find(name);
        if (stream == null) {
            return null;
        }
        String streamName = stream.definition().name();
        Map<Integer, Long> demanded = SessionProperties.atLeast(session, name.getTableName());
        // A session may demand more in the middle of a transaction: from then on it is pinned to more.
        Map<Integer, Long> positions = pinned.compute(
                name.getTableName(),
                (key, known) -> known != null && covers(known, demanded)
                        ? known
                        : higher(
                                known,
                                asked(client -> Streams.positions(
                                        client, stream, demanded, SessionProperties.queryTimeout(session)))));
        return StreamTable.of(name, streamName, stream.id(), positions);
    }

    private static boolean covers(Map<Integer, Long> positions, Map<Integer, Long> demanded) {
        return demanded.entrySet().stream()
                .allMatch(entry -> positions.getOrDefault(entry.getKey(), Long.MIN_VALUE) >= entry.getValue());
    }

    private static Map<Integer, Long> higher(@Nullable Map<Integer, Long> known, Map<Integer, Long> more) {
        Map<Integer, Long> both = new HashMap<>(known == null ? Map.of() : known);
        more.forEach((partition, position) -> both.merge(partition, position, Math::max));
        return both;
    }

    @Override
    public ConnectorTableMetadata getTableMetadata(ConnectorSession session, ConnectorTableHandle handle) {
        return new ConnectorTableMetadata(
                ((StreamTable) handle).name(), columns(details(handle)), Map.of(), Optional.of(comment(handle)));
    }

    private String comment(ConnectorTableHandle handle) {
        Schema schema = details(handle).definition().schema();
        return "a stream by key (" + String.join(", ", keyFields(schema)) + ") and time (" + schema.timeField() + ")";
    }

    private static List<String> keyFields(Schema schema) {
        return schema.key().roles().stream().map(role -> role.field()).toList();
    }

    private List<ColumnMetadata> columns(StreamDetails stream) {
        Schema schema = stream.definition().schema();
        List<String> key = keyFields(schema);
        return Streams.columns(stream, types).values().stream()
                .map(handle -> {
                    StreamColumn column = (StreamColumn) handle;
                    String role = column.field().equals(schema.timeField())
                            ? "time"
                            : key.contains(column.field()) ? "key" : null;
                    return ColumnMetadata.builder()
                            .setName(column.name())
                            .setType(column.type())
                            .setNullable(column.nullable())
                            .setComment(Optional.ofNullable(role))
                            .build();
                })
                .toList();
    }

    @Override
    public Map<String, ColumnHandle> getColumnHandles(ConnectorSession session, ConnectorTableHandle handle) {
        return Streams.columns(details(handle), types);
    }

    @Override
    public ColumnMetadata getColumnMetadata(
            ConnectorSession session, ConnectorTableHandle handle, ColumnHandle column) {
        StreamColumn of = (StreamColumn) column;
        return ColumnMetadata.builder()
                .setName(of.name())
                .setType(of.type())
                .setNullable(of.nullable())
                .build();
    }

    @Override
    public Iterator<RelationColumnsMetadata> streamRelationColumns(
            ConnectorSession session, Optional<String> schema, UnaryOperator<Set<SchemaTableName>> filter) {
        if (schema.isPresent() && !schema.get().equals(SCHEMA)) {
            return List.<RelationColumnsMetadata>of().iterator();
        }
        Map<SchemaTableName, StreamDetails> streams = new HashMap<>();
        asked(Streams::all).forEach((name, stream) -> {
            // One of which two columns would have the same name is no table.
            if (Streams.namesDiffer(stream)) {
                streams.put(new SchemaTableName(SCHEMA, name), stream);
            }
        });
        return filter.apply(streams.keySet()).stream()
                .map(name -> RelationColumnsMetadata.forTable(name, columns(Objects.requireNonNull(streams.get(name)))))
                .iterator();
    }

    @Override
    public TableStatistics getTableStatistics(ConnectorSession session, ConnectorTableHandle handle) {
        // Of those in chunks: what is in memory is a small part of a stream that has any.
        long tuples = details(handle).knownChunks().tuples();
        return tuples == 0 || !((StreamTable) handle).aggregates().isEmpty()
                ? TableStatistics.empty()
                : TableStatistics.builder()
                        .setRowCount(Estimate.of((double) tuples))
                        .build();
    }

    @Override
    public Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(
            ConnectorSession session, ConnectorTableHandle handle, Constraint constraint) {
        StreamTable table = (StreamTable) handle;
        if (table.limit().isPresent() || !table.aggregates().isEmpty()) {
            return Optional.empty();
        }
        TupleDomain<StreamColumn> wanted = constraint.getSummary().transformKeys(StreamColumn.class::cast);
        TupleDomain<StreamColumn> both = PushedConditions.narrowed(table.constraint(), wanted);
        if (both.equals(table.constraint())) {
            return Optional.empty();
        }
        Set<StreamColumn> exact =
                both.isNone() ? Set.of() : PushedConditions.of(both).exact();
        TupleDomain<ColumnHandle> left = both.isNone()
                ? TupleDomain.all()
                : wanted.filter((column, domain) -> !exact.contains(column)).transformKeys(ColumnHandle.class::cast);
        return Optional.of(
                new ConstraintApplicationResult<>(table.withConstraint(both), left, constraint.getExpression(), false));
    }

    /** Each split needs no more; Trino takes the first of all. */
    @Override
    public Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(
            ConnectorSession session, ConnectorTableHandle handle, long limit) {
        StreamTable table = (StreamTable) handle;
        if (!table.aggregates().isEmpty()
                || (table.limit().isPresent() && table.limit().getAsLong() <= limit)) {
            return Optional.empty();
        }
        return Optional.of(new LimitApplicationResult<>(table.withLimit(limit, table.order()), false, false));
    }

    /** The same in an order, where both have the same. */
    @Override
    public Optional<TopNApplicationResult<ConnectorTableHandle>> applyTopN(
            ConnectorSession session,
            ConnectorTableHandle handle,
            long count,
            List<SortItem> items,
            Map<String, ColumnHandle> assignments) {
        StreamTable table = (StreamTable) handle;
        if (!table.aggregates().isEmpty()
                || table.limit().isPresent()
                || count < 1
                || count > MOST_ORDERED
                || items.size() > MOST_SORTED_BY) {
            return Optional.empty();
        }
        List<StreamTable.SortedBy> order = new ArrayList<>();
        for (SortItem item : items) {
            StreamColumn column = (StreamColumn) Objects.requireNonNull(assignments.get(item.getName()));
            boolean descending = !item.getSortOrder().isAscending();
            // Waterwheel has null below all values.
            boolean nullsAgree = !column.nullable() || item.getSortOrder().isNullsFirst() != descending;
            if (!nullsAgree || !Literals.inOrder(column) || !Literals.sameOrder(column)) {
                return Optional.empty();
            }
            order.add(new StreamTable.SortedBy(column, descending));
        }
        return Optional.of(new TopNApplicationResult<>(table.withLimit(count, order), false, false));
    }

    /** Counts, minima and maxima of all rows: the server has most of them without reading a row. */
    @Override
    public Optional<AggregationApplicationResult<ConnectorTableHandle>> applyAggregation(
            ConnectorSession session,
            ConnectorTableHandle handle,
            List<AggregateFunction> functions,
            Map<String, ColumnHandle> assignments,
            List<List<ColumnHandle>> groups) {
        StreamTable table = (StreamTable) handle;
        boolean global = groups.size() == 1 && groups.get(0).isEmpty();
        if (!global
                || functions.isEmpty()
                || table.limit().isPresent()
                || !table.aggregates().isEmpty()) {
            return Optional.empty();
        }
        return PushedAggregates.of(functions, assignments)
                .map(pushed -> new AggregationApplicationResult<ConnectorTableHandle>(
                        table.withAggregates(pushed.columns()),
                        pushed.projections(),
                        pushed.assignments(),
                        Map.of(),
                        false));
    }
}
