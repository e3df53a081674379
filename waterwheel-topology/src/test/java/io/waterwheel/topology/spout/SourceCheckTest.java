package io.waterwheel.topology.spout;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.CatalogStore;
import io.waterwheel.catalog.InMemoryCatalogStore;
import io.waterwheel.catalog.LogIdentity;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.model.BadRecords;
import io.waterwheel.model.Control.LogProblem;
import io.waterwheel.model.Field;
import io.waterwheel.model.FieldType;
import io.waterwheel.model.KeySpec;
import io.waterwheel.model.LogLoss;
import io.waterwheel.model.RecordFormat;
import io.waterwheel.model.Schema;
import io.waterwheel.model.StreamPolicy;
import io.waterwheel.topology.worker.WorkerServices.TopicState;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is found of a partition, check after check, as its topic changes. */
final class SourceCheckTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");
    private static final long SECOND_LOG = 1_000_000_000_000L;

    private final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final LogIdentity first = LogIdentity.first("one");

    private StreamInfo stream(LogLoss logLoss) {
        return new Namespace(store)
                .create(
                        "s",
                        SCHEMA,
                        RecordFormat.CSV,
                        "s",
                        new long[1],
                        1,
                        StreamPolicy.DEFAULT.withBadRecords(BadRecords.SKIP).withLogLoss(logLoss),
                        first);
    }

    private SourceCheck.Finding look(Judge judge, @Nullable TopicState topic) {
        StreamInfo stream = judge.stream();
        return SourceCheck.look(judge, stream, new StreamCatalog(store, stream), topic, judge.position());
    }

    private LogProblem problem(Judge judge, @Nullable TopicState topic) {
        return look(judge, topic).state().problem();
    }

    private static TopicState topic(long start, long end, int epoch) {
        return new TopicState("one", new long[] {start}, new long[] {end}, new int[] {epoch}, "");
    }

    @Test
    void aTruncationStaysThoughProducersGoOn() {
        Judge judge = new Judge(stream(LogLoss.FAIL), 0, first, 100);
        assertThat(problem(judge, topic(0, 60, 3))).isEqualTo(LogProblem.NONE);
        assertThat(judge.doubts(first)).as("nothing is read meanwhile").isTrue();
        assertThat(problem(judge, topic(0, 70, 3))).isEqualTo(LogProblem.TRUNCATED);
        assertThat(problem(judge, topic(0, 500, 3))).isEqualTo(LogProblem.TRUNCATED);
        assertThat(problem(judge, topic(0, 500, 4))).isEqualTo(LogProblem.TRUNCATED);
        // Somebody decides.
        LogIdentity next = new StreamCatalog(store, judge.stream())
                .changeLog(0, first, "one", 60)
                .route()
                .log();
        SourceCheck.Finding found = look(judge, topic(0, 500, 4));
        assertThat(found.state().problem()).isEqualTo(LogProblem.NONE);
        assertThat(found.log()).isEqualTo(next);
        assertThat(judge.doubts(next)).isFalse();
    }

    @Test
    void oneThatIsFilledUpBetweenTwoChecksIsOneToo() {
        Judge judge = new Judge(stream(LogLoss.FAIL), 0, first, 100);
        assertThat(problem(judge, topic(0, 60, 3))).isEqualTo(LogProblem.NONE);
        assertThat(problem(judge, topic(0, 130, 3))).isEqualTo(LogProblem.TRUNCATED);
    }

    @Test
    void theAnswerOfAFormerLeaderIsForgotten() {
        Judge judge = new Judge(stream(LogLoss.FAIL), 0, first, 100);
        assertThat(problem(judge, topic(0, 90, 3))).isEqualTo(LogProblem.NONE);
        assertThat(problem(judge, topic(0, 130, 4))).isEqualTo(LogProblem.NONE);
        assertThat(judge.doubts(first)).isFalse();
        assertThat(problem(judge, topic(0, 90, 4))).as("counted anew").isEqualTo(LogProblem.NONE);
    }

    @Test
    void skippingGoesOnWhereTheLogWasCutNotWhereItEndsNow() {
        Judge judge = new Judge(stream(LogLoss.SKIP), 0, first, 100);
        look(judge, topic(0, 60, 3));
        SourceCheck.Finding found = look(judge, topic(0, 130, 3));
        assertThat(found.state().problem()).isEqualTo(LogProblem.NONE);
        assertThat(found.log()).isEqualTo(new LogIdentity("one", SECOND_LOG, SECOND_LOG + 60));
    }

    @Test
    void whatTheConsumerFoundIsATruncation() {
        Judge judge = new Judge(stream(LogLoss.SKIP), 0, first, 100);
        judge.tell(80);
        assertThat(judge.doubts(first)).isTrue();
        assertThat(look(judge, topic(0, 130, 3)).log().since()).isEqualTo(SECOND_LOG + 80);
    }

    @Test
    void anotherLogInTheCatalogIsFollowedThoughTheOldOneLooksSound() {
        Judge judge = new Judge(stream(LogLoss.FAIL), 0, first, 100);
        assertThat(look(judge, topic(0, 200, 3)).log()).isEqualTo(first);
        LogIdentity next = new StreamCatalog(store, judge.stream())
                .changeLog(0, first, "one", 150)
                .route()
                .log();
        SourceCheck.Finding found = look(judge, topic(0, 200, 3));
        assertThat(found.log()).isEqualTo(next);
        assertThat(found.state().problem()).isEqualTo(LogProblem.NONE);
        assertThat(found.state().end()).isEqualTo(SECOND_LOG + 200);
    }

    @Test
    void compactionIsToldOfUnlessSomethingElseIsWrong() {
        Judge judge = new Judge(stream(LogLoss.SKIP), 0, first, 100);
        SourceCheck.Finding sound = look(judge, topic(0, 100, 1));
        assertThat(SourceCheck.compacted(sound).state().problem()).isEqualTo(LogProblem.COMPACTED);
        assertThat(SourceCheck.compacted(sound).log())
                .as("no other log is decided on")
                .isEqualTo(first);
        SourceCheck.Finding gone = look(judge, null);
        assertThat(SourceCheck.compacted(gone)).isEqualTo(gone);
    }

    @Test
    void whatCannotBeAskedForIsNotGone() {
        Judge judge = new Judge(stream(LogLoss.SKIP), 0, first, 100);
        TopicState noLeader =
                new TopicState("one", new long[] {-1}, new long[] {-1}, new int[] {-1}, "partition 0 has no leader");
        assertThat(problem(judge, noLeader)).isEqualTo(LogProblem.UNKNOWN);
        TopicState notAllowed = new TopicState("", new long[0], new long[0], new int[0], "not allowed");
        assertThat(problem(judge, notAllowed)).isEqualTo(LogProblem.UNKNOWN);
        assertThat(problem(judge, null)).isEqualTo(LogProblem.GONE);
        assertThat(problem(judge, topic(0, 100, 1))).isEqualTo(LogProblem.NONE);
        assertThat(judge.log()).isEqualTo(first);
    }
}
