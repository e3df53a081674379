package io.waterwheel.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.LogMemory.LeaderEpoch;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.ingest.source.LogTracker.Look;
import io.waterwheel.protocol.Control.LogProblem;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is made of a topic, look after look, as it changes and as brokers answer from the past. */
final class LogTrackerTest {
    private static final long SECOND_LOG = 1_000_000_000_000L;
    private static final LogIdentity FIRST = LogIdentity.first("one");

    private final LogTracker tracker = new LogTracker(FIRST, List.of(), null);

    private LogProblem look(String topicId, int epoch, long end, long read) {
        tracker.onLook(new Look.Seen(topicId, epoch, 0, end), read);
        return tracker.problem();
    }

    private LogProblem look(int epoch, long end) {
        return look("one", epoch, end, 100);
    }

    @Test
    void aDeposedLeaderIsNotBelievedHoweverOftenItAnswers() {
        assertThat(look("one", 7, 1000, 1000)).isEqualTo(LogProblem.NONE);
        assertThat(look("one", 6, 900, 1000)).isEqualTo(LogProblem.NONE);
        assertThat(look("one", 6, 900, 1000)).isEqualTo(LogProblem.NONE);
        assertThat(tracker.successor()).isNull();
        assertThat(tracker.isSound()).isTrue();
    }

    @Test
    void aDeposedLeaderIsNotBelievedByWhoeverStartsAnew() {
        LogTracker next = new LogTracker(FIRST, List.of(), new LeaderEpoch("one", 7));
        for (int i = 0; i < 3; i++) {
            next.onLook(new Look.Seen("one", 6, 0, 900), 1000);
            assertThat(next.problem()).as("nothing is known yet").isEqualTo(LogProblem.IN_DOUBT);
            assertThat(next.mayRead()).isFalse();
        }
        next.onLook(new Look.Seen("one", 7, 0, 1000), 1000);
        assertThat(next.mayRead()).isTrue();
    }

    @Test
    void nothingIsHandedOnBeforeItsEpochIsRemembered() {
        look(3, 100);
        assertThat(tracker.mayRead()).isFalse();
        assertThat(tracker.epochToRemember()).isEqualTo(new LeaderEpoch("one", 3));
        tracker.onRemembered(new LeaderEpoch("one", 3));
        assertThat(tracker.onRecords(3)).isTrue();
        assertThat(tracker.onRecords(4)).isFalse();
        assertThat(look(3, 90)).as("known from the records").isEqualTo(LogProblem.NONE);
        tracker.onRemembered(new LeaderEpoch("one", 4));
        assertThat(tracker.onRecords(4)).isTrue();
    }

    @Test
    void oldMetadataDoNotFlipTheTopic() {
        look(3, 100);
        assertThat(look("two", 0, 50, 100)).isEqualTo(LogProblem.IN_DOUBT);
        assertThat(look("one", 3, 100, 100)).as("one is not enough").isEqualTo(LogProblem.IN_DOUBT);
        assertThat(look("two", 0, 50, 100)).isEqualTo(LogProblem.IN_DOUBT);
        assertThat(look("two", 0, 50, 100)).isEqualTo(LogProblem.RECREATED);
        assertThat(tracker.successor()).as("not checked yet").isNull();
        tracker.onKnown(tracker.log(), List.of(), null);
        assertThat(tracker.leftToRemember()).containsExactly("one");
        assertThat(tracker.successor()).isEqualTo(new LogTracker.Successor(FIRST, "two", 0, 0));
        tracker.onRoute(new LogIdentity("two", SECOND_LOG, SECOND_LOG), List.of());
        assertThat(look("two", 0, 60, SECOND_LOG)).isEqualTo(LogProblem.NONE);
        for (int i = 0; i < 3; i++) {
            assertThat(look("one", 9, 500, SECOND_LOG)).isEqualTo(LogProblem.NONE);
        }
        assertThat(tracker.isSound()).isTrue();
        assertThat(tracker.end()).isEqualTo(SECOND_LOG + 60);
    }

    @Test
    void nothingIsLeftForATopicThatOthersHaveLeft() {
        look("three", 0, 5, 100);
        assertThat(look("three", 0, 5, 100)).isEqualTo(LogProblem.RECREATED);
        tracker.onKnown(tracker.log(), List.of("one"), null);
        look("two", 0, 5, 100);
        assertThat(look("two", 0, 5, 100)).isEqualTo(LogProblem.RECREATED);
        assertThat(tracker.leftToRemember()).isEmpty();
        tracker.onKnown(tracker.log(), List.of("one", "two"), null);
        assertThat(tracker.leftToRemember()).isEmpty();
        assertThat(tracker.problem()).isEqualTo(LogProblem.IN_DOUBT);
        look("three", 1, 6, 100);
        assertThat(look("three", 1, 6, 100)).isEqualTo(LogProblem.RECREATED);
    }

    /** It heard of the newest topic first, then of the one before from brokers with old metadata. */
    @Test
    void nothingIsLeftForATopicThatTheRouteNamesByNow() {
        look(3, 100);
        look("three", 0, 50, 100);
        look("three", 0, 50, 100);
        look("two", 0, 50, 100);
        assertThat(look("two", 0, 50, 100)).isEqualTo(LogProblem.RECREATED);
        LogIdentity second = new LogIdentity("two", SECOND_LOG, SECOND_LOG);
        tracker.onKnown(second, List.of("one"), null);
        assertThat(tracker.log()).isEqualTo(second);
        assertThat(tracker.leftToRemember())
                .as("who is newer than two is not known")
                .doesNotContain("three");
        assertThat(look("three", 0, 60, SECOND_LOG)).isEqualTo(LogProblem.IN_DOUBT);
        assertThat(look("three", 0, 60, SECOND_LOG)).isEqualTo(LogProblem.RECREATED);
    }

    @Test
    void whatSeemsNewForAMomentIsForgotten() {
        look(3, 100);
        assertThat(look("zero", 9, 50, 100)).isEqualTo(LogProblem.IN_DOUBT);
        assertThat(look(3, 100)).isEqualTo(LogProblem.IN_DOUBT);
        assertThat(look(3, 100)).isEqualTo(LogProblem.NONE);
    }

    @Test
    void aTruncationStaysThoughProducersGoOn() {
        assertThat(look(3, 60)).isEqualTo(LogProblem.IN_DOUBT);
        assertThat(tracker.isSound()).as("nothing is read meanwhile").isFalse();
        assertThat(look(3, 70)).isEqualTo(LogProblem.TRUNCATED);
        assertThat(look(3, 500)).isEqualTo(LogProblem.TRUNCATED);
        assertThat(look(4, 500)).isEqualTo(LogProblem.TRUNCATED);
        assertThat(tracker.successor()).as("under 3").isEqualTo(new LogTracker.Successor(FIRST, "one", 3, 60));
        assertThat(tracker.epochToRemember()).as("nobody else's yet").isNull();
        tracker.onKnown(tracker.log(), List.of(), new LeaderEpoch("one", 3));
        assertThat(tracker.epochToRemember()).isEqualTo(new LeaderEpoch("one", 4));
        tracker.onKnown(tracker.log(), List.of(), new LeaderEpoch("one", 4));
        assertThat(tracker.successor()).isEqualTo(new LogTracker.Successor(FIRST, "one", 4, 60));
        tracker.onRoute(new LogIdentity("one", SECOND_LOG, SECOND_LOG + 60), List.of());
        assertThat(look("one", 4, 500, 100)).isEqualTo(LogProblem.NONE);
    }

    @Test
    void oneThatIsFilledUpBetweenTwoLooksIsOneToo() {
        assertThat(look(3, 60)).isEqualTo(LogProblem.IN_DOUBT);
        assertThat(look(3, 130)).isEqualTo(LogProblem.TRUNCATED);
    }

    @Test
    void theAnswerOfAFormerLeaderIsForgotten() {
        assertThat(look(3, 90)).isEqualTo(LogProblem.IN_DOUBT);
        assertThat(look(4, 130)).isEqualTo(LogProblem.NONE);
        assertThat(look(4, 90)).as("counted anew").isEqualTo(LogProblem.IN_DOUBT);
    }

    @Test
    void whatTheConsumerFoundIsATruncation() {
        look(3, 30);
        look(3, 130);
        LogTracker told = new LogTracker(FIRST, List.of(), null);
        told.onLook(new Look.Seen("one", 3, 0, 70), 60);
        told.onTruncation(80);
        assertThat(told.isSound()).isFalse();
        assertThat(told.successor()).as("where it ended before says nothing").isNull();
        told.onLook(new Look.Seen("one", 4, 0, 130), 100);
        assertThat(told.successor()).isEqualTo(new LogTracker.Successor(FIRST, "one", 4, 80));
    }

    @Test
    void whatTheConsumerFoundIsNotMovedByOneLook() {
        LogTracker told = new LogTracker(FIRST, List.of(), null);
        told.onLook(new Look.Seen("one", 3, 0, 80), 80);
        told.onTruncation(70);
        told.onLook(new Look.Seen("one", 3, 0, 60), 80);
        assertThat(told.problem()).isEqualTo(LogProblem.TRUNCATED);
        assertThat(told.successor()).as("where, is in doubt").isNull();
        told.onLook(new Look.Seen("one", 4, 0, 75), 80);
        assertThat(told.successor()).isEqualTo(new LogTracker.Successor(FIRST, "one", 4, 70));
        told.onLook(new Look.Seen("one", 5, 0, 50), 80);
        told.onLook(new Look.Seen("one", 5, 0, 55), 80);
        assertThat(told.successor()).as("cut again").isEqualTo(new LogTracker.Successor(FIRST, "one", 5, 50));
    }

    @Test
    void anotherSpoutMayKnowMore() {
        assertThat(look(3, 60)).isEqualTo(LogProblem.IN_DOUBT);
        assertThat(look(3, 60)).isEqualTo(LogProblem.TRUNCATED);
        tracker.onKnown(tracker.log(), List.of(), new LeaderEpoch("one", 4));
        assertThat(tracker.problem()).isEqualTo(LogProblem.NONE);
        assertThat(look(3, 60)).isEqualTo(LogProblem.NONE);
        assertThat(new LogTracker.Successor(FIRST, "one", 3, 60).isPast(List.of(), new LeaderEpoch("one", 4)))
                .isTrue();
        assertThat(new LogTracker.Successor(FIRST, "two", 3, 60).isPast(List.of("two"), null))
                .isTrue();
    }

    @Test
    void aTopicThatWasLeftIsNotBelievedByWhoeverStartsWhileTheRouteNamesIt() {
        LogTracker next = new LogTracker(FIRST, List.of("one"), new LeaderEpoch("one", 3));
        for (int i = 0; i < 3; i++) {
            next.onLook(new Look.Seen("one", 3, 0, 60), 100);
            assertThat(next.problem()).isEqualTo(LogProblem.IN_DOUBT);
            next.onLook(new Look.Seen("one", 4, 0, 130), 100);
            assertThat(next.mayRead()).isFalse();
        }
        assertThat(next.epochToRemember()).isNull();
        next.onLook(new Look.Seen("two", 0, 0, 5), 100);
        next.onLook(new Look.Seen("two", 0, 0, 5), 100);
        next.onKnown(next.log(), List.of("one"), null);
        assertThat(next.successor()).isEqualTo(new LogTracker.Successor(FIRST, "two", 0, 0));
    }

    @Test
    void anotherSpoutMayHaveLeftTheTopic() {
        look(3, 60);
        assertThat(look(3, 60)).isEqualTo(LogProblem.TRUNCATED);
        tracker.onKnown(tracker.log(), List.of("one"), new LeaderEpoch("one", 3));
        assertThat(tracker.problem()).isEqualTo(LogProblem.IN_DOUBT);
        assertThat(tracker.successor()).isNull();
        assertThat(look(3, 130)).isEqualTo(LogProblem.IN_DOUBT);
        // Taken back by hand.
        tracker.onRoute(new LogIdentity("one", SECOND_LOG, SECOND_LOG + 100), List.of());
        assertThat(look("one", 4, 130, SECOND_LOG + 100)).isEqualTo(LogProblem.NONE);
        // Left already when it is followed.
        tracker.onRoute(new LogIdentity("two", 2 * SECOND_LOG, 2 * SECOND_LOG), List.of("one", "two"));
        assertThat(look("two", 0, 5, 0)).isEqualTo(LogProblem.IN_DOUBT);
    }

    @Test
    void whatAnotherSpoutKnewCountsThoughALaterLeaderWasHeardHere() {
        look(3, 60);
        assertThat(look(3, 60)).isEqualTo(LogProblem.TRUNCATED);
        assertThat(look(6, 130)).isEqualTo(LogProblem.TRUNCATED);
        assertThat(Objects.requireNonNull(tracker.successor()).isPast(List.of(), new LeaderEpoch("one", 5)))
                .isTrue();
        tracker.onKnown(tracker.log(), List.of(), new LeaderEpoch("one", 5));
        assertThat(tracker.problem()).isEqualTo(LogProblem.NONE);
        assertThat(look(6, 130)).isEqualTo(LogProblem.NONE);
    }

    @Test
    void whatCannotBeAskedForIsNotGone() {
        look(3, 100);
        tracker.onLook(new Look.Unknown(), 100);
        assertThat(tracker.problem()).isEqualTo(LogProblem.UNKNOWN);
        assertThat(tracker.isSound()).as("what is read is read on").isTrue();
        tracker.onLook(new Look.Gone(), 100);
        assertThat(tracker.problem()).isEqualTo(LogProblem.GONE);
        assertThat(tracker.isSound()).isFalse();
        assertThat(look(3, 100)).isEqualTo(LogProblem.NONE);
    }

    @Test
    void compactionIsToldOfUnlessSomethingElseIsWrong() {
        look(3, 100);
        tracker.onCompacted(true);
        assertThat(tracker.problem()).isEqualTo(LogProblem.COMPACTED);
        assertThat(tracker.successor()).isNull();
        tracker.onLook(new Look.Gone(), 100);
        assertThat(tracker.problem()).isEqualTo(LogProblem.GONE);
    }

    @Test
    void aPartitionThatABrokerDoesNotKnowYetIsNotAnotherTopics() {
        look(3, 100);
        tracker.onLook(new Look.NoPartition("one"), 100);
        assertThat(tracker.problem()).isEqualTo(LogProblem.NONE);
        tracker.onLook(new Look.NoPartition("two"), 100);
        tracker.onLook(new Look.NoPartition("two"), 100);
        assertThat(tracker.problem()).isEqualTo(LogProblem.RECREATED);
        assertThat(tracker.successor()).isNull();
    }
}
