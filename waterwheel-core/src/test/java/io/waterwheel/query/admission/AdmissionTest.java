package io.waterwheel.query.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.admission.QueryState.Stage;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who runs, who waits, who is refused. */
final class AdmissionTest {
    private static final QueryCost SMALL = new QueryCost(10, 1);
    private static final QueryCost LARGE = new QueryCost(1000, 4);
    private static final Query QUERY =
            Query.of("flights").withWhere("speed > 50").withCount();

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static Admission admission(int light, int heavy, int open, int parts) {
        return new Admission(new AdmissionLimits(light, heavy, open, parts, 1000));
    }

    private static long soon() {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    }

    private static Lane admit(Admission.OpenQuery query, QueryCost cost) throws InterruptedException {
        return query.admit(cost, soon(), () -> false);
    }

    /** Asks for a turn on another thread, and returns when it waits there. */
    private Future<Lane> waits(Admission admission, Admission.OpenQuery query, QueryCost cost) throws Exception {
        Future<Lane> admitted = threads.submit(() -> admit(query, cost));
        Waiting.until("it waits", () -> {
            assertThat(admitted.isDone()).isFalse();
            return stage(admission, query) == Stage.WAITING;
        });
        return admitted;
    }

    private static Stage stage(Admission admission, Admission.OpenQuery query) {
        return admission.list().stream()
                .filter(state -> state.id().equals(query.id()))
                .findFirst()
                .orElseThrow()
                .stage();
    }

    @Test
    void theLastThatEndedAreRemembered() {
        Admission admission = admission(2, 1, 1000, 100);
        for (int i = 0; i < EndedQueries.MOST + 3; i++) {
            Admission.OpenQuery query = admission.open(QUERY, "client " + i);
            query.sent(i, 8L * i);
            query.endedAs("complete");
            query.close();
            query.close();
        }
        assertThat(admission.list()).isEmpty();
        assertThat(admission.ended()).hasSize(EndedQueries.MOST);
        EndedQuery last = admission.ended().get(EndedQueries.MOST - 1);
        assertThat(last.outcome()).isEqualTo("complete");
        assertThat(last.state().client()).isEqualTo("client " + (EndedQueries.MOST + 2));
        assertThat(last.state().rows()).isEqualTo(EndedQueries.MOST + 2);
        assertThat(last.state().query()).isEqualTo("flights: where speed > 50, count");
        assertThat(admission.ended().get(0).state().client()).isEqualTo("client 3");
        Query probe = Query.of("flights").withTimes(new TimeInterval(Long.MIN_VALUE, Long.MIN_VALUE));
        for (String outcome : List.of("complete", "NO_SUCH_STREAM")) {
            Admission.OpenQuery asked = admission.open(probe, "tail");
            asked.endedAs(outcome);
            asked.close();
        }
        assertThat(admission.ended())
                .extracting(ended -> ended.state().client() + " " + ended.outcome())
                .as("questions of tails")
                .contains("tail NO_SUCH_STREAM")
                .doesNotContain("tail complete");
    }

    @Test
    void whatDoesNotCountTakesTurnsAndIsNotToldOf() throws Exception {
        List<SlowQuery> slow = new ArrayList<>();
        Admission admission = new Admission(
                new AdmissionLimits(1, 1, 1, 10, 1000), new SlowQueries(Duration.ofNanos(1), true, slow::add));
        Admission.OpenQuery own = admission.open(QUERY, "here", "", false);
        assertThat(admit(own, SMALL)).isEqualTo(Lane.LIGHT);
        assertThat(admission.list()).isEmpty();
        assertThat(admission.openByStage().values()).allMatch(count -> count == 0);
        assertThatThrownBy(() -> admission.open(QUERY, "b")).hasMessageContaining("1 queries are open");
        own.close();
        assertThat(admission.ended()).isEmpty();
        assertThat(slow).isEmpty();
        admission.open(QUERY, "b").close();
        assertThat(admission.ended()).hasSize(1);
        assertThat(slow).hasSize(1);
    }

    @Test
    void statementsAreListedAndEndedAsQueriesAre() {
        Admission admission = admission(2, 1, 10, 10);
        try (OpenStatements.OpenStatement open = admission.statements().open("SELECT 1\n  FROM a, b", "here")) {
            QueryState state = admission.list().get(0);
            assertThat(state.query()).isEqualTo("SELECT 1 FROM a, b");
            assertThat(state.client()).isEqualTo("here");
            assertThat(state.stage()).isEqualTo(Stage.WAITING);
            open.enter(Stage.SENDING);
            open.sent(7);
            assertThat(admission.list()).singleElement().satisfies(now -> {
                assertThat(now.stage()).isEqualTo(Stage.SENDING);
                assertThat(now.rows()).isEqualTo(7);
            });
            assertThat(admission.kill(state.id() + "0")).isFalse();
            assertThat(open.killed()).isFalse();
            assertThat(admission.kill(state.id())).isTrue();
            assertThat(open.killed()).isTrue();
            open.endedAs(open.killedFailure().code());
        }
        assertThat(admission.list()).isEmpty();
        assertThat(admission.ended()).singleElement().satisfies(ended -> assertThat(ended.outcome())
                .isEqualTo("QUERY_KILLED"));
        assertThat(admission.kill("x")).isFalse();
    }

    /** Such a query is kept instead of its text; another is not, for its names or its condition may be long. */
    @Test
    void aLookUpIsRememberedAsItWasAtItsEnd() {
        Admission admission = admission(2, 1, 10, 10);
        Admission.OpenQuery query = admission.open(Query.of("flights").withLatest(3), "a");
        query.sent(3, 100);
        query.endedAs("complete");
        query.close();
        EndedQuery first = admission.ended().get(0);
        assertThat(first.state().query()).isEqualTo("flights: latest 3");
        assertThat(first.state().rows()).isEqualTo(3);
        assertThat(first.outcome()).isEqualTo("complete");
        assertThat(admission.ended().get(0)).as("its age stands still").isEqualTo(first);
    }

    /** The turn that is free is not taken by one that comes while another waits for parts. */
    @Test
    void noneIsPassedByOneThatComesLater() throws Exception {
        Admission admission = admission(4, 4, 10, 4);
        Admission.OpenQuery first = admission.open(QUERY, "a");
        assertThat(admit(first, new QueryCost(10, 3))).isEqualTo(Lane.LIGHT);
        Admission.OpenQuery large = admission.open(QUERY, "b");
        Future<Lane> largeWaits = waits(admission, large, new QueryCost(10, 3));
        Admission.OpenQuery small = admission.open(QUERY, "c");
        Future<Lane> smallWaits = waits(admission, small, SMALL);
        first.close();
        assertThat(largeWaits.get(60, TimeUnit.SECONDS)).isEqualTo(Lane.LIGHT);
        assertThat(smallWaits.get(60, TimeUnit.SECONDS)).isEqualTo(Lane.LIGHT);
        // A turn that was given back is taken again at once, for nobody waits.
        small.pause(Stage.SENDING);
        small.resume(soon(), () -> false);
        assertThat(stage(admission, small)).isEqualTo(Stage.RUNNING);
        large.close();
        small.close();
    }

    @Test
    void heavyOnesWaitAmongThemselves() throws Exception {
        Admission admission = admission(2, 1, 100, 100);
        Admission.OpenQuery heavy = admission.open(QUERY, "a");
        assertThat(admit(heavy, LARGE)).isEqualTo(Lane.HEAVY);
        Admission.OpenQuery second = admission.open(QUERY, "a");
        Future<Lane> waiting = waits(admission, second, LARGE);
        Admission.OpenQuery light = admission.open(QUERY, "a");
        assertThat(admit(light, SMALL)).isEqualTo(Lane.LIGHT);
        assertThat(admission.list())
                .extracting(QueryState::stage)
                .containsExactly(Stage.RUNNING, Stage.WAITING, Stage.RUNNING);
        assertThat(admission.list().get(0).query()).isEqualTo("flights: where speed > 50, count");

        heavy.close();
        heavy.close();
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(Lane.HEAVY);
        second.close();
        light.close();
        assertThat(admission.list()).isEmpty();
    }

    @Test
    void whoHasFewestRunningComesFirst() throws Exception {
        Admission admission = admission(2, 1, 100, 100);
        Admission.OpenQuery first = admission.open(QUERY, "many");
        Admission.OpenQuery second = admission.open(QUERY, "many");
        admit(first, SMALL);
        admit(second, SMALL);
        Admission.OpenQuery third = admission.open(QUERY, "many");
        Future<Lane> ofMany = waits(admission, third, SMALL);
        Admission.OpenQuery other = admission.open(QUERY, "few");
        Future<Lane> ofFew = waits(admission, other, SMALL);
        first.close();
        ofFew.get(60, TimeUnit.SECONDS);
        assertThat(stage(admission, third)).isEqualTo(Stage.WAITING);
        second.close();
        ofMany.get(60, TimeUnit.SECONDS);
    }

    @Test
    void aTurnIsGivenBackWhileTheClientTakesNothing() throws Exception {
        Admission admission = admission(1, 1, 100, 100);
        Admission.OpenQuery slow = admission.open(QUERY, "slow");
        admit(slow, LARGE);
        Admission.OpenQuery next = admission.open(QUERY, "next");
        Future<Lane> waiting = waits(admission, next, LARGE);
        Admission.OpenQuery last = admission.open(QUERY, "last");
        Future<Lane> lastWaits = waits(admission, last, LARGE);
        slow.pause(Stage.SENDING);
        assertThat(stage(admission, slow)).isEqualTo(Stage.SENDING);
        waiting.get(60, TimeUnit.SECONDS);

        // It has begun, so it comes before those that have not.
        Future<?> resumed = threads.submit(() -> {
            slow.resume(soon(), () -> false);
            return null;
        });
        Waiting.until("it waits again", () -> stage(admission, slow) == Stage.WAITING);
        next.close();
        resumed.get(60, TimeUnit.SECONDS);
        assertThat(stage(admission, slow)).isEqualTo(Stage.RUNNING);
        assertThat(stage(admission, last)).isEqualTo(Stage.WAITING);
        slow.close();
        lastWaits.get(60, TimeUnit.SECONDS);
    }

    @Test
    void oneThatNeedsManyThreadsIsNotPassedAndRunsAlone() throws Exception {
        Admission admission = admission(10, 10, 100, 8);
        Admission.OpenQuery small = admission.open(QUERY, "a");
        admit(small, new QueryCost(1, 3));
        Admission.OpenQuery wide = admission.open(QUERY, "a");
        Future<Lane> wideWaits = waits(admission, wide, new QueryCost(1, 50));
        Admission.OpenQuery late = admission.open(QUERY, "a");
        Future<Lane> lateWaits = waits(admission, late, SMALL);
        small.close();
        wideWaits.get(60, TimeUnit.SECONDS);
        assertThat(stage(admission, late)).isEqualTo(Stage.WAITING);
        wide.close();
        lateWaits.get(60, TimeUnit.SECONDS);
    }

    @Test
    void whenAllPlacesAreTakenTheOneWithMostMakesWay() throws Exception {
        Admission admission = admission(1, 1, 3, 100);
        Admission.OpenQuery running = admission.open(QUERY, "many");
        admit(running, SMALL);
        Admission.OpenQuery waiting = admission.open(QUERY, "many");
        Future<Lane> firstWaits = waits(admission, waiting, SMALL);
        Admission.OpenQuery last = admission.open(QUERY, "many");
        Future<Lane> lastWaits = waits(admission, last, SMALL);
        assertThatThrownBy(() -> admission.open(QUERY, "many"))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SERVER_BUSY"));

        Admission.OpenQuery other = admission.open(QUERY, "few");
        assertThatThrownBy(() -> lastWaits.get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(WaterwheelException.class)
                .hasMessageContaining("a client with fewer queries open came");
        last.close();
        Future<Lane> otherWaits = waits(admission, other, SMALL);
        running.close();
        firstWaits.get(60, TimeUnit.SECONDS);
        waiting.close();
        otherWaits.get(60, TimeUnit.SECONDS);
        other.close();
        assertThat(admission.list()).isEmpty();
    }

    /** Plans are made before queries have their turns: those too have a place, and lose it to a client with fewer. */
    @Test
    void whatIsPlannedHasAPlaceAndMakesWay() {
        Admission admission = admission(1, 1, 2, 100);
        Admission.OpenQuery first = admission.open(QUERY, "many");
        Admission.OpenQuery last = admission.open(QUERY, "many");
        assertThat(stage(admission, last)).isEqualTo(Stage.PLANNING);
        assertThatThrownBy(() -> admission.open(QUERY, "many"))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SERVER_BUSY"));

        Admission.OpenQuery other = admission.open(QUERY, "few");
        assertThat(List.of(first.calledOff(), last.calledOff(), other.calledOff()))
                .containsExactly(false, true, false);
        assertThat(last.calledOffFailure().code()).isEqualTo("SERVER_BUSY");
        assertThatThrownBy(() -> admit(last, SMALL)).hasMessageContaining("a client with fewer queries open came");
        last.close();
        assertThat(admission.list()).hasSize(2);
    }

    @Test
    void waitingEndsWithTheTimeWithTheClientAndByHand() throws Exception {
        Admission admission = admission(1, 1, 100, 100);
        Admission.OpenQuery running = admission.open(QUERY, "a");
        admit(running, SMALL);
        Admission.OpenQuery late = admission.open(QUERY, "a");
        assertThatThrownBy(() -> late.admit(SMALL, System.nanoTime(), () -> false))
                .isInstanceOfSatisfying(WaterwheelException.class, e -> {
                    assertThat(e.code()).isEqualTo("SERVER_BUSY");
                    assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.TEMPORARY);
                });
        Admission.OpenQuery gone = admission.open(QUERY, "a");
        assertThatThrownBy(() -> gone.admit(SMALL, soon(), () -> true)).isInstanceOf(WaterwheelException.class);
        Admission.OpenQuery killed = admission.open(QUERY, "a");
        Future<Lane> waiting = waits(admission, killed, SMALL);
        assertThat(admission.kill("another-1")).isFalse();
        assertThat(admission.kill(killed.id())).isTrue();
        assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS)).hasMessageContaining("was ended by");
        assertThat(killed.calledOff()).isTrue();
    }

    /** What has begun goes on beside one that waits for its parts, turn after turn. */
    @Test
    void whoWaitsForPartsDoesNotKeepTheirHolderFromGoingOn() throws Exception {
        Admission admission = admission(1, 1, 9, 10);
        Admission.OpenQuery holder = admission.open(QUERY, "a");
        admit(holder, new QueryCost(1, 8));
        Admission.OpenQuery large = admission.open(QUERY, "b");
        Future<Lane> waiting = waits(admission, large, new QueryCost(1, 5));
        for (int turn = 0; turn < 3; turn++) {
            holder.pause(Stage.SENDING);
            holder.resume(System.nanoTime() + TimeUnit.SECONDS.toNanos(20), () -> false);
            assertThat(admission.list().get(0).stage()).as("turn " + turn).isEqualTo(Stage.RUNNING);
            assertThat(waiting.isDone()).isFalse();
        }
        // Without a turn it runs on as well: that this is none shows here.
        holder.pause(Stage.SENDING);
        assertThat(admission.list().get(0).stage()).isEqualTo(Stage.SENDING);
        holder.close();
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(Lane.LIGHT);
        large.close();
    }

    @Test
    void nothingIsLostOrExceededWhenManyComeAtOnce() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed " + seed);
        Admission admission = admission(3, 2, 5, 10);
        AtomicInteger light = new AtomicInteger();
        AtomicInteger heavy = new AtomicInteger();
        AtomicInteger parts = new AtomicInteger();
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        List<Future<?>> all = new ArrayList<>();
        for (int client = 0; client < 8; client++) {
            Random random = new Random(seed + client);
            String name = "client " + client % 3;
            all.add(threads.submit(() -> {
                for (int i = 0; i < 300; i++) {
                    boolean large = random.nextInt(4) == 0;
                    QueryCost cost = new QueryCost(large ? 1000 : 1, 1 + random.nextInt(4));
                    try (Admission.OpenQuery query = admission.open(QUERY, name)) {
                        Lane lane = admit(query, cost);
                        AtomicInteger running = lane == Lane.HEAVY ? heavy : light;
                        assertThat(running.incrementAndGet()).isLessThanOrEqualTo(lane == Lane.HEAVY ? 2 : 3);
                        assertThat(parts.addAndGet(cost.parts())).isLessThanOrEqualTo(2 * 10);
                        if (random.nextInt(3) == 0) {
                            running.decrementAndGet();
                            query.pause(Stage.SENDING);
                            query.resume(soon(), () -> false);
                            assertThat(running.incrementAndGet()).isLessThanOrEqualTo(lane == Lane.HEAVY ? 2 : 3);
                        }
                        parts.addAndGet(-cost.parts());
                        running.decrementAndGet();
                        answered.incrementAndGet();
                    } catch (WaterwheelException e) {
                        assertThat(e.code()).isEqualTo("SERVER_BUSY");
                        refused.incrementAndGet();
                    }
                }
                return null;
            }));
        }
        for (Future<?> each : all) {
            each.get(60, TimeUnit.SECONDS);
        }
        assertThat(answered.get() + refused.get()).isEqualTo(8 * 300);
        assertThat(answered.get()).isPositive();
        assertThat(admission.list()).isEmpty();
    }
}
