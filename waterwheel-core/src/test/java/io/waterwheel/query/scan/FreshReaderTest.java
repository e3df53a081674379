package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.index.FreshView;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Query;
import io.waterwheel.query.Subquery;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What an indexer that is asked for more than its view has waits for, where the answer may be partial. */
final class FreshReaderTest {
    private static final ScanSpec SPEC = ScanSpec.all(RowLayout.of(new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t")));

    /** How far the block of the first partition that the indexer inserts reaches; none has come of the second. */
    private final AtomicLongArray taking = new AtomicLongArray(new long[] {200, 10});

    private final ViewHolder slot = new ViewHolder();

    private static boolean never() {
        throw new AssertionError("it waits");
    }

    private FreshView view(long watermark, boolean recovering) {
        return new FreshView(
                1, 0, 0, List.of(), new long[] {watermark, 50}, new long[2], 1, recovering, new long[2], taking);
    }

    /** The header that answers a demand of 200 of the first partition, and of 50 of the second, which is idle. */
    private IndexerHeader ask(Duration left, BooleanSupplier givenUp) throws InterruptedException {
        Query query = Query.of("s").withPartialAllowed();
        Subquery.OfIndexer subquery = new Subquery.OfIndexer(query, 1, 0, 1, 0, new long[] {200, 50});
        try (IndexerReply reply = new FreshReader(slot, Long.MAX_VALUE)
                .ask(subquery, SPEC, System.nanoTime() + left.toNanos(), givenUp)) {
            return reply.header();
        }
    }

    /**
     * An answer that read the trees has shown it, so the coordinator demands it of all, as of one that may be partial.
     */
    @Test
    void waitsForTheBlockThatIsBeingInserted() throws Exception {
        slot.publish(view(100, false));
        // The insert ends while the reader waits.
        IndexerHeader header = ask(Duration.ofHours(1), () -> {
            slot.publish(view(200, false));
            return false;
        });
        assertThat(header.outcome()).isEqualTo(IndexerHeader.Outcome.ANSWER);
        assertThat(header.watermarks()).containsExactly(200, 50);
    }

    @Test
    void answersAtOnceWhereNoBlockBringsWhatIsDemanded() throws Exception {
        taking.set(0, 199);
        slot.publish(view(100, false));
        assertThat(ask(Duration.ofHours(1), FreshReaderTest::never).watermarks())
                .containsExactly(100, 50);
    }

    @Test
    void answersAtOnceWhileItRecovers() throws Exception {
        slot.publish(view(100, true));
        IndexerHeader header = ask(Duration.ofHours(1), FreshReaderTest::never);
        assertThat(header.outcome()).isEqualTo(IndexerHeader.Outcome.ANSWER);
        assertThat(header.recovering()).isTrue();
    }

    @Test
    void answersInTimeWhenTheInsertDoesNotEnd() throws Exception {
        slot.publish(view(100, false));
        IndexerHeader header = ask(Duration.ofMillis(20), FreshReaderTest::never);
        assertThat(header.outcome()).isEqualTo(IndexerHeader.Outcome.ANSWER);
        assertThat(header.watermarks()).containsExactly(100, 50);
    }
}
