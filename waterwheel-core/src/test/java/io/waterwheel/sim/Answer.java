package io.waterwheel.sim;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What came of a query. */
final class Answer implements AnswerSink {
    /** An indexer's part in it. */
    record Part(HostRole.Instance instance, IndexerHeader header) {}

    final Query query;
    /** What is asked for; of ids nothing where the key is not of dimensions. */
    final KeyInterval keys;

    final KeyInterval wantedIds;

    final long askedAt;
    final List<Long> ids = new ArrayList<>();
    final List<Part> parts = new ArrayList<>();

    @Nullable
    Verdict verdict;

    @Nullable
    WaterwheelException failure;

    Answer(Query query, KeyInterval keys, KeyInterval wantedIds, long askedAt) {
        this.query = query;
        this.keys = keys;
        this.wantedIds = wantedIds;
        this.askedAt = askedAt;
    }

    /** Whether a tuple is asked for. */
    boolean matches(Topic.Produced tuple) {
        return keys.contains(tuple.key())
                && wantedIds.contains(tuple.id())
                && query.times().contains(tuple.time());
    }

    @Override
    public void start(List<Field> fields) {}

    @Override
    public void rows(TupleBlock rows) {
        for (int row = 0; row < rows.size(); row++) {
            ids.add(
                    rows.layout().width(0) == Integer.BYTES
                            ? LittleEndian.getInt(rows.column(0), row * 4)
                            : LittleEndian.getLong(rows.column(0), row * 8));
        }
    }

    @Override
    public void finish(Verdict end) {
        verdict = end;
    }

    @Override
    public void fail(WaterwheelException end) {
        failure = end;
    }

    @Override
    public boolean cancelled() {
        return false;
    }
}
