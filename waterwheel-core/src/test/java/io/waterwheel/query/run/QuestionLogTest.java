package io.waterwheel.query.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.tuple.QuestionShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The log of questions beside lists of all. */
final class QuestionLogTest {
    @Test
    void theLastOfEachStreamAreThere() {
        QuestionLog log = new QuestionLog();
        Map<Integer, List<Long>> all = new HashMap<>();
        Random random = new Random(1);
        for (int i = 0; i < 8000; i++) {
            int stream = random.nextInt(3);
            long code = random.nextLong();
            log.add(stream, new QuestionShape(code));
            List<Long> of = all.computeIfAbsent(stream, id -> new ArrayList<>());
            of.add(code);
            if (i % 97 == 0 || i > 7990) {
                assertThat(log.last(stream))
                        .containsExactly(of.subList(Math.max(0, of.size() - QuestionLog.LAST), of.size()).stream()
                                .mapToLong(Long::longValue)
                                .toArray());
            }
        }
        assertThat(log.last(77)).isEmpty();
        assertThat(log.id()).isNotEqualTo(new QuestionLog().id());
    }

    @Test
    void streamsThatWereNotAskedForLongAreForgotten() {
        QuestionLog log = new QuestionLog();
        for (int stream = 0; stream <= QuestionLog.STREAMS; stream++) {
            log.add(stream, new QuestionShape(stream + 1));
            log.add(0, new QuestionShape(1));
        }
        assertThat(log.last(0)).hasSize(QuestionLog.STREAMS + 2);
        assertThat(log.last(1)).isEmpty();
        assertThat(log.last(2)).containsExactly(3);
        assertThat(log.last(QuestionLog.STREAMS)).containsExactly(QuestionLog.STREAMS + 1);
    }
}
