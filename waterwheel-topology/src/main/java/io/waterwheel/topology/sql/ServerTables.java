package io.waterwheel.topology.sql;

import static io.waterwheel.topology.sql.SystemTables.CATALOG;
import static io.waterwheel.topology.sql.SystemTables.number;
import static io.waterwheel.topology.sql.SystemTables.text;

import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.admission.EndedQuery;
import io.waterwheel.query.admission.QueryState;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.sql.SystemTable;
import io.waterwheel.topology.worker.Placement;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tables of schema waterwheel about what a coordinator knows of its server: chunks, regions, indexers, partitions,
 * dead letters and queries. They are made of what it holds anyway, but for the texts of dead letters, which are read
 * from Kafka; none asks the catalog of a stream that it follows.
 */
final class ServerTables {
    /** All of them; {@link #read} knows their rows. */
    static final List<SystemTable> ALL = List.of(
            new SystemTable(
                    CATALOG,
                    "chunks",
                    List.of(
                            text("stream_name"),
                            text("file"),
                            number("indexer"),
                            number("flush"),
                            text("low_key"),
                            text("high_key"),
                            moment("first_time"),
                            moment("last_time"),
                            number("tuples"),
                            number("bytes"))),
            new SystemTable(
                    CATALOG,
                    "regions",
                    List.of(
                            text("stream_name"),
                            number("routing_version"),
                            number("indexer"),
                            maybe("from_key"),
                            maybe("before_key"),
                            new Field("tuples_per_second", FieldType.DOUBLE, false))),
            new SystemTable(
                    CATALOG,
                    "indexers",
                    List.of(
                            text("stream_name"),
                            number("indexer"),
                            number("task"),
                            number("unflushed_tuples"),
                            new Field("first_time", FieldType.TIMESTAMP, true),
                            new Field("last_time", FieldType.TIMESTAMP, true),
                            number("lag"),
                            new Field("recovering", FieldType.BOOLEAN, false),
                            number("rejected"),
                            number("task_memory_bytes"),
                            number("task_memory_limit"),
                            number("unflushed_trees"),
                            maybe("trouble"))),
            new SystemTable(
                    CATALOG,
                    "partitions",
                    List.of(
                            text("stream_name"),
                            number("partition_number"),
                            known("log_start"),
                            known("log_end"),
                            known("routed"),
                            known("indexed"),
                            number("lag"),
                            maybe("warning"),
                            maybe("trouble"))),
            new SystemTable(
                    CATALOG,
                    "dead_letters",
                    List.of(text("stream_name"), number("partition_number"), text("policy"), number("dead_letters"))),
            new SystemTable(
                    CATALOG,
                    "dead_letter_texts",
                    List.of(
                            text("stream_name"),
                            number("letter_offset"),
                            number("partition_number"),
                            number("record_offset"),
                            number("row_index"),
                            text("reason"),
                            number("record_bytes"),
                            maybe("record_text"))),
            new SystemTable(
                    CATALOG,
                    "queries",
                    List.of(
                            text("query_id"),
                            text("client"),
                            text("query_text"),
                            maybe("lane"),
                            text("stage"),
                            maybe("outcome"),
                            number("estimated_tuples"),
                            number("rows_sent"),
                            new Field("seconds", FieldType.DOUBLE, false),
                            new Field("ended_at", FieldType.TIMESTAMP, true))));

    /** What a coordinator knows. Thread-safe. */
    interface Knowledge {
        /** The catalog of a stream as it is known; see {@code CoordinatorServices.QueryHandler.known}. */
        StreamSnapshot known(StreamInfo stream);

        Map<Integer, Control.PartitionReport> partitionReports(int streamId);

        Map<Integer, Control.Report> indexerReports(int streamId);

        /** Tuples a second by slot of a routing table. */
        double[] keyRates(int streamId, RoutingTable table);
    }

    private final Knowledge coordinator;
    private final int indexerTasks;
    private final LetterLog letters;
    private final Supplier<List<QueryState>> open;
    private final Supplier<List<EndedQuery>> ended;

    /**
     * Of one coordinator.
     *
     * @param indexerTasks number of tasks that indexers run in
     * @param open queries of this process
     * @param ended the last queries of this process
     */
    ServerTables(
            Knowledge coordinator,
            int indexerTasks,
            LetterLog letters,
            Supplier<List<QueryState>> open,
            Supplier<List<EndedQuery>> ended) {
        this.coordinator = coordinator;
        this.indexerTasks = indexerTasks;
        this.letters = letters;
        this.open = open;
        this.ended = ended;
    }

    private static Field moment(String name) {
        return new Field(name, FieldType.TIMESTAMP, false);
    }

    private static Field maybe(String name) {
        return new Field(name, FieldType.STRING, true);
    }

    /** A position, which may not be known. */
    private static Field known(String name) {
        return new Field(name, FieldType.LONG, true);
    }

    /**
     * Adds the rows of a table.
     *
     * @param goOn is asked before each stream; throws to end it
     * @return streams whose rows are missing, a sentence each
     */
    List<String> read(String table, List<StreamInfo> streams, RowPages rows, Runnable goOn) {
        switch (table) {
            case "waterwheel.chunks" -> {
                return each(streams, goOn, stream -> chunks(stream, rows));
            }
            case "waterwheel.regions" -> {
                return each(streams, goOn, stream -> regions(stream, rows));
            }
            case "waterwheel.indexers" -> streams.forEach(stream -> indexers(stream, rows));
            case "waterwheel.partitions" -> streams.forEach(stream -> partitions(stream, rows));
            case "waterwheel.dead_letters" -> streams.forEach(stream -> deadLetters(stream, rows));
            case "waterwheel.dead_letter_texts" -> letterTexts(streams, rows, goOn);
            case "waterwheel.queries" -> queries(rows);
            default -> throw new IllegalStateException("rows of " + table);
        }
        return List.of();
    }

    /** What needs the catalog of each stream: one that cannot be read takes nothing from the others. */
    private static List<String> each(List<StreamInfo> streams, Runnable goOn, Consumer<StreamInfo> adding) {
        List<String> missing = new ArrayList<>();
        for (StreamInfo stream : streams) {
            goOn.run();
            try {
                adding.accept(stream);
            } catch (WaterwheelException e) {
                if (e.is(ErrorCode.NO_SUCH_STREAM)) {
                    // It was dropped meanwhile.
                    continue;
                } else if (e.kind() != WaterwheelException.Kind.CORRUPT && !e.is(ErrorCode.MANIFEST_UNAVAILABLE)) {
                    throw e;
                }
                missing.add("the rows of stream " + stream.name() + ": " + e.code() + ": " + e.getMessage());
            }
        }
        return missing;
    }

    /** One that ends meanwhile is told once. */
    private void queries(RowPages rows) {
        List<QueryState> running = open.get();
        List<EndedQuery> last = ended.get();
        Set<String> over = new HashSet<>();
        last.forEach(query -> over.add(query.state().id()));
        for (QueryState query : running) {
            if (!over.contains(query.id())) {
                query(query, query.stage().name().toLowerCase(Locale.ROOT), null, null, rows);
            }
        }
        last.forEach(query -> query(query.state(), "ended", query.outcome(), query.at(), rows));
    }

    private void chunks(StreamInfo stream, RowPages rows) {
        StreamSnapshot snapshot = coordinator.known(stream);
        KeyScheme scheme = KeyScheme.of(stream.schema());
        snapshot.chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunk -> {
            Region region = chunk.region();
            rows.add(
                    stream.name(),
                    chunk.file(),
                    (long) chunk.indexer(),
                    chunk.flush(),
                    scheme.format(region.keys().low()),
                    scheme.format(region.keys().high()),
                    region.times().from(),
                    region.times().to(),
                    chunk.tuples(),
                    chunk.bytes());
        });
    }

    private void regions(StreamInfo stream, RowPages rows) {
        StreamSnapshot snapshot = coordinator.known(stream);
        if (snapshot.version() == 0) {
            return;
        }
        RoutingTable table = snapshot.table(snapshot.version());
        KeyScheme scheme = KeyScheme.of(stream.schema());
        double[] rates = coordinator.keyRates(stream.id(), table);
        long[] boundaries = table.boundaries();
        for (int slot = 0; slot < table.indexers().length; slot++) {
            rows.add(
                    stream.name(),
                    (long) table.version(),
                    (long) table.indexers()[slot],
                    slot == 0 ? null : scheme.format(boundaries[slot - 1]),
                    slot == boundaries.length ? null : scheme.format(boundaries[slot]),
                    rates[slot]);
        }
    }

    private void indexers(StreamInfo stream, RowPages rows) {
        Collection<Control.PartitionReport> partitions =
                coordinator.partitionReports(stream.id()).values();
        coordinator.indexerReports(stream.id()).values().forEach(report -> {
            long lag = 0;
            for (Control.PartitionReport partition : partitions) {
                lag += partition.lag(List.of(report));
            }
            Region region = report.region();
            rows.add(
                    stream.name(),
                    (long) report.indexer(),
                    (long) Placement.indexerTaskOf(report.indexer(), indexerTasks),
                    report.tuples(),
                    region == null ? null : region.times().from(),
                    region == null ? null : region.times().to(),
                    lag,
                    report.recovering(),
                    report.rejected(),
                    report.memory().usedBytes(),
                    report.memory().limitBytes(),
                    (long) report.memory().unflushedTrees(),
                    orNull(report.memory().trouble()));
        });
    }

    private void partitions(StreamInfo stream, RowPages rows) {
        Collection<Control.Report> indexers =
                coordinator.indexerReports(stream.id()).values();
        coordinator.partitionReports(stream.id()).values().forEach(report -> {
            Control.Positions positions = report.positions();
            rows.add(
                    stream.name(),
                    (long) report.partition(),
                    orNull(positions.start()),
                    orNull(positions.end()),
                    orNull(positions.routed()),
                    orNull(report.indexed(indexers)),
                    report.lag(indexers),
                    orNull(report.warning()),
                    orNull(report.trouble().sentence(stream.name())));
        });
    }

    private void deadLetters(StreamInfo stream, RowPages rows) {
        coordinator
                .partitionReports(stream.id())
                .values()
                .forEach(report -> rows.add(
                        stream.name(),
                        (long) report.partition(),
                        stream.policy().badRecords().toString(),
                        report.deadLetters()));
    }

    private void letterTexts(List<StreamInfo> streams, RowPages rows, Runnable goOn) {
        Map<Integer, String> topics = new TreeMap<>();
        Map<Integer, String> names = new HashMap<>();
        for (StreamInfo stream : streams) {
            topics.put(stream.id(), stream.topic());
            names.put(stream.id(), stream.name());
        }
        try {
            letters.last(
                    topics,
                    goOn,
                    letter -> rows.add(
                            names.get(letter.streamId()),
                            letter.letterOffset(),
                            (long) letter.partition(),
                            letter.offset(),
                            (long) letter.index(),
                            letter.reason(),
                            letter.length(),
                            letter.text()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaterwheelException(
                    ErrorCode.CANCELLED, "the statement was cancelled while dead letters were read", e);
        }
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    private static @Nullable Long orNull(long position) {
        return position < 0 ? null : position;
    }

    private static void query(
            QueryState query, String stage, @Nullable String outcome, @Nullable Instant ended, RowPages rows) {
        rows.add(
                query.id(),
                query.client(),
                query.query(),
                query.lane() == null ? null : query.lane().text(),
                stage,
                outcome,
                query.tuples(),
                query.rows(),
                query.age().toNanos() / 1e9,
                ended == null ? null : ended.toEpochMilli());
    }
}
