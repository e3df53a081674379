package io.waterwheel.trino;

import com.google.inject.Inject;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.FixedSplitSource;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.ChunkRegions;
import io.waterwheel.client.admin.KeyRanges;
import io.waterwheel.client.admin.SourceOffsets;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.schema.Schema;
import io.waterwheel.trino.SplitPlanner.Area;
import io.waterwheel.trino.SplitPlanner.Piece;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Divides a scan into splits, along what chunks and indexers hold. Thread-safe. */
final class StreamSplitManager implements ConnectorSplitManager {
    private static final int PAGE = 10_000;
    /** Of a stream with more, every other one counts twice, and so on. */
    private static final int MOST_PIECES = 50_000;
    /** Rows that one split is asked for without looking where they lie. */
    private static final long FEW_ROWS = 10_000;

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** What a tuple in memory is taken to be: it only has to be about as much as in a chunk. */
    private static final double FRESH_BYTES = 20;
    /** Where fresh tuples are taken to lie in time, beside now. */
    private static final long FRESH_MILLIS = Duration.ofMinutes(10).toMillis();

    private static final int WHOLE = 100;

    private final Clients clients;

    @Inject
    StreamSplitManager(Clients clients) {
        this.clients = clients;
    }

    @Override
    public ConnectorSplitSource getSplits(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorTableHandle handle,
            Set<ColumnHandle> dynamicFilterColumns,
            Constraint constraint) {
        StreamTable table = (StreamTable) handle;
        if (table.constraint().isNone()) {
            // An aggregate has a row also where nothing matches; a split of nothing asks for it.
            return table.aggregates().isEmpty()
                    ? FixedSplitSource.emptySplitSource()
                    : new FixedSplitSource(List.of(split(Area.ALL, 1)));
        }
        try {
            List<StreamSplit> splits = clients.patiently(PATIENCE, client -> splits(client, session, table));
            return new FixedSplitSource(splits);
        } catch (WaterwheelException e) {
            throw Failures.of(e);
        }
    }

    private static StreamSplit split(Area area, double share) {
        int weight = (int) Math.max(1, Math.min(WHOLE, Math.ceil(share * WHOLE)));
        return new StreamSplit(area.lowKey(), area.highKey(), area.from(), area.to(), weight);
    }

    private static List<StreamSplit> splits(WaterwheelClient client, ConnectorSession session, StreamTable table) {
        StreamDetails stream = client.describe(table.stream());
        if (stream.id() != table.streamId()) {
            throw Failures.split("stream " + table.stream()
                    + " was dropped and made anew while the statement was planned: run it again");
        }
        Schema schema = stream.definition().schema();
        Area whole = whole(table, schema);
        if (!table.aggregates().isEmpty()) {
            // One answer: its parts are put together by the server.
            return List.of(split(whole, 1));
        }
        double target = SessionProperties.splitBytes(session);
        boolean few = table.order().isEmpty() && table.limit().orElse(Long.MAX_VALUE) <= FEW_ROWS;
        int most = few || whole.lowKey() == whole.highKey() ? 1 : SessionProperties.maxSplits(session);
        List<Piece> pieces = most == 1 ? List.of() : pieces(client, table.stream(), schema, whole);
        return SplitPlanner.cut(whole, pieces, target, most).stream()
                .map(part -> split(part.area(), part.bytes() / target))
                .toList();
    }

    /** The smallest rectangle that is known to hold what the constraint asks for. */
    static Area whole(StreamTable table, Schema schema) {
        long lowKey = Long.MIN_VALUE;
        long highKey = Long.MAX_VALUE;
        long from = Long.MIN_VALUE;
        long to = Long.MAX_VALUE;
        for (Map.Entry<StreamColumn, Domain> entry :
                table.constraint().getDomains().orElse(Map.of()).entrySet()) {
            StreamColumn column = entry.getKey();
            Domain domain = entry.getValue();
            if (domain.getValues().isNone() || (domain.isNullAllowed() && column.nullable())) {
                continue;
            }
            Range span = domain.getValues().getRanges().getSpan();
            if (column.field().equals(schema.timeField())) {
                from = span.isLowUnbounded() ? from : Literals.millis(span.getLowBoundedValue());
                to = span.isHighUnbounded() ? to : Literals.millis(span.getHighBoundedValue());
            }
            if (column.field().equals(schema.key().onlyField())) {
                OptionalLong low =
                        span.isLowUnbounded() ? OptionalLong.empty() : Literals.key(column, span.getLowBoundedValue());
                OptionalLong high = span.isHighUnbounded()
                        ? OptionalLong.empty()
                        : Literals.key(column, span.getHighBoundedValue());
                lowKey = low.orElse(lowKey);
                highKey = high.orElse(highKey);
            }
        }
        return new Area(lowKey, highKey, from, to);
    }

    private static List<Piece> pieces(WaterwheelClient client, String stream, Schema schema, Area whole) {
        KeyScheme keys = KeyScheme.of(schema);
        List<Piece> pieces = new ArrayList<>();
        ChunkRegions.Position next = null;
        int each = 1;
        long met = 0;
        do {
            ChunkRegions page = client.chunkRegions(stream, new TimeInterval(whole.from(), whole.to()), next, PAGE);
            for (ChunkRegions.Region region : page.regions()) {
                Area area = area(keys, region);
                if (area.meets(whole) && met++ % each == 0) {
                    pieces.add(new Piece(area, (double) region.bytes() * each));
                }
            }
            if (pieces.size() > MOST_PIECES) {
                each *= 2;
                pieces = thinned(pieces);
            }
            next = page.next();
        } while (next != null);
        pieces.addAll(fresh(client, stream, keys));
        return pieces;
    }

    /** Every other piece, for two. */
    private static List<Piece> thinned(List<Piece> pieces) {
        List<Piece> half = new ArrayList<>();
        for (int i = 0; i < pieces.size(); i += 2) {
            half.add(new Piece(pieces.get(i).area(), pieces.get(i).bytes() * 2));
        }
        return half;
    }

    private static Area area(KeyScheme keys, ChunkRegions.Region region) {
        // Texts are cut where they end within a character: an end may come out a little low, which only moves a border.
        long low = key(keys, region.low(), keys.domain().low());
        long high = Math.max(low, key(keys, region.high(), keys.domain().high()));
        return new Area(low, high, region.times().from(), region.times().to());
    }

    /** A border only has to be about right: what a server of another release writes in another way is left open. */
    private static long key(KeyScheme keys, @Nullable String text, long otherwise) {
        try {
            return text == null ? otherwise : keys.parse(text);
        } catch (IllegalArgumentException e) {
            return otherwise;
        }
    }

    /** What indexers are thought to have in memory, each in its keys. */
    private static List<Piece> fresh(WaterwheelClient client, String stream, KeyScheme keys) {
        double records = 0;
        for (SourceOffsets partition : client.offsets(stream)) {
            long behind = 0;
            for (Map.Entry<Integer, Long> watermark : partition.watermarks().entrySet()) {
                long checkpoint = partition.checkpoints().getOrDefault(watermark.getKey(), watermark.getValue());
                behind = Math.max(behind, watermark.getValue() - checkpoint);
            }
            records += behind;
        }
        if (records == 0) {
            return List.of();
        }
        long now = System.currentTimeMillis();
        List<KeyRanges.Part> parts = client.keyRanges(stream).partitions();
        List<Piece> pieces = new ArrayList<>();
        KeyInterval domain = keys.domain();
        for (int i = 0; i < parts.size(); i++) {
            String begin = parts.get(i).low();
            String end = i + 1 < parts.size() ? parts.get(i + 1).low() : null;
            long low = key(keys, begin, domain.low());
            long next = key(keys, end, domain.high());
            long high = end == null || next == Long.MIN_VALUE ? domain.high() : next - 1;
            if (low <= high) {
                pieces.add(
                        new Piece(new Area(low, high, now - FRESH_MILLIS, now), records * FRESH_BYTES / parts.size()));
            }
        }
        return pieces;
    }
}
