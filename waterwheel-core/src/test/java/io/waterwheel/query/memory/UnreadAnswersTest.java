package io.waterwheel.query.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Answers whose clients take nothing hold half of the memory at most, and one of them all that a query may. */
final class UnreadAnswersTest {
    private static final long TOTAL = 100;

    private final QueryMemory memory = new QueryMemory(TOTAL, TOTAL, Duration.ZERO);
    private final List<String> madeWay = new ArrayList<>();

    private Reservation query(long bytes) {
        Reservation made = memory.open();
        made.reserve(bytes);
        return made;
    }

    private void wait(Reservation query, String name) {
        query.beginUnread(() -> madeWay.add(name));
    }

    @Test
    void ofEqualsTheOneThatHasWaitedLongestMakesWay() {
        Reservation first = query(20);
        Reservation second = query(20);
        Reservation third = query(20);
        wait(first, "first");
        wait(second, "second");
        assertThat(madeWay).isEmpty();
        wait(third, "third");
        assertThat(madeWay).containsExactly("first");
        WaterwheelException why = first.endUnread();
        assertThat(why).isNotNull();
        assertThat(why.code()).isEqualTo("CLIENT_SLOW");
        assertThat(why.kind()).isEqualTo(WaterwheelException.Kind.TEMPORARY);
        assertThat(second.endUnread()).isNull();
        assertThat(third.endUnread()).isNull();
    }

    @Test
    void whoTakesSomeMeanwhileBeginsToWaitAnew() {
        Reservation first = query(20);
        Reservation second = query(20);
        wait(first, "first");
        wait(second, "second");
        assertThat(first.endUnread()).isNull();
        wait(first, "first");
        wait(query(20), "third");
        assertThat(madeWay).containsExactly("second");
    }

    @Test
    void oneAloneMayHoldAll() {
        Reservation alone = query(90);
        wait(alone, "alone");
        alone.reserve(10);
        assertThat(madeWay).isEmpty();
        Reservation small = memory.open();
        wait(small, "small");
        assertThat(madeWay).containsExactly("alone");
    }

    /** Who reads as fast as the network lets it waits often, and for moments. */
    @Test
    void whoHasWaitedForAMomentOnlyMakesNoWay() {
        long[] now = {0};
        UnreadAnswers answers = new UnreadAnswers(50, Duration.ofMillis(250), () -> now[0]);
        QueryMemory.Account steady = account(20);
        QueryMemory.Account large = account(40);
        answers.begin(steady, () -> madeWay.add("steady"));
        answers.begin(large, () -> madeWay.add("large"));
        assertThat(madeWay).isEmpty();
        now[0] = 200_000_000;
        assertThat(answers.end(steady)).isTrue();
        answers.begin(steady, () -> madeWay.add("steady"));
        now[0] = 250_000_000;
        answers.bound();
        assertThat(madeWay).containsExactly("large");
    }

    private QueryMemory.Account account(long bytes) {
        QueryMemory.Account account = new QueryMemory(TOTAL, TOTAL).account();
        assertThat(account.take(bytes)).isEqualTo(QueryMemory.Taken.YES);
        return account;
    }

    @Test
    void whatOneTakesWhileItWaitsCounts() {
        Reservation first = query(10);
        Reservation second = query(10);
        wait(first, "first");
        wait(second, "second");
        second.reserve(30);
        assertThat(madeWay).isEmpty();
        Reservation part = second.part();
        part.reserve(1);
        assertThat(madeWay).containsExactly("second");
        // Those who read may take the rest.
        Reservation reads = query(40);
        assertThat(reads.left()).isEqualTo(TOTAL - memory.reserved());
    }

    /** A twin that adds up from the beginning at each step. */
    @Test
    void anyOrderOfStepsIsBounded() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            QueryMemory own = new QueryMemory(1000, 1000, Duration.ZERO);
            List<Reservation> queries = new ArrayList<>();
            Map<Integer, Long> waiting = new LinkedHashMap<>();
            List<Integer> told = new ArrayList<>();
            List<Integer> expected = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                queries.add(own.open());
            }
            for (int step = 0; step < 100; step++) {
                int i = random.nextInt(queries.size());
                Reservation query = queries.get(i);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        if (!waiting.containsKey(i) && !expected.contains(i)) {
                            query.beginUnread(() -> told.add(i));
                            waiting.put(i, query.held());
                        }
                    }
                    case 1 -> {
                        @Nullable WaterwheelException why = query.endUnread();
                        if (waiting.remove(i) != null) {
                            assertThat(why).isNull();
                        } else {
                            assertThat(why).isNotNull();
                        }
                    }
                    case 2 -> {
                        if (query.tryReserve(random.nextInt(150)) && waiting.containsKey(i)) {
                            waiting.put(i, query.held());
                        }
                    }
                    default -> {
                        query.release(query.held() / 2);
                        waiting.computeIfPresent(i, (key, before) -> query.held());
                    }
                }
                while (waiting.size() > 1
                        && waiting.values().stream().mapToLong(Long::longValue).sum() > 500) {
                    long most = waiting.values().stream()
                            .mapToLong(Long::longValue)
                            .max()
                            .orElseThrow();
                    int largest = waiting.keySet().stream()
                            .filter(one -> Objects.requireNonNull(waiting.get(one)) == most)
                            .findFirst()
                            .orElseThrow();
                    waiting.remove(largest);
                    expected.add(largest);
                }
                assertThat(told).as("seed %s step %s", seed, step).isEqualTo(expected);
            }
            queries.forEach(Reservation::close);
            assertThat(own.reserved()).isZero();
        }
    }
}
