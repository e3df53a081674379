package io.waterwheel.embedded.storm;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.TopologyBuilder;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.topology.base.BaseRichSpout;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.Values;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tasks that fail wherever they can: Storm would end this process, and with it the test and all that runs beside it.
 */
@Tag("embedded")
@Timeout(300)
final class EmbeddedStormTest {
    /** Where a task fails. */
    enum Place {
        OPEN,
        PREPARE,
        NEXT_TUPLE,
        EXECUTE,
        END
    }

    /** Where they are still to fail, the next first; each place in another life. */
    private static final Queue<Place> TO_COME = new ConcurrentLinkedQueue<>();

    private static final AtomicReference<String> LAST_LIFE = new AtomicReference<>("");
    private static final AtomicLong SEEN = new AtomicLong();
    private static final AtomicInteger CLEANED = new AtomicInteger();

    @Test
    void aWorkerThatDiesIsFollowedByAnother() throws Exception {
        TopologyBuilder builder = new TopologyBuilder();
        builder.setSpout("count", new Count(), 2);
        builder.setBolt("see", new See(), 2).shuffleGrouping("count");
        TO_COME.addAll(List.of(Place.values()));
        CLEANED.set(0);
        EmbeddedStorm storm = EmbeddedStorm.start("fails", Map.of(), builder.createTopology());
        try (storm) {
            int lives = Place.values().length + 1;
            Waiting.until("each place, and a worker after that", () -> TO_COME.isEmpty() && storm.lives() == lives);
            SEEN.set(0);
            Waiting.until("tuples flow: " + storm.trouble(), () -> SEEN.get() > 100);
            assertThat(storm.lives()).isEqualTo(lives);
            assertThat(storm.trouble()).contains("ended");
        }
        assertThat(CLEANED.get()).as("tasks of the last worker were closed").isPositive();
        Waiting.until("no thread is left", () -> left().isEmpty());
    }

    private static List<String> left() {
        List<String> names = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            ThreadGroup group = thread.getThreadGroup();
            // One daemon is Storm's for all workers of a process: its clock of statistics.
            if (group != null && group.getName().startsWith("fails-") && !thread.isDaemon()) {
                names.add(thread.getName());
            }
        }
        return names;
    }

    private static void failAt(Place place, String life) {
        if (TO_COME.peek() != place || life.equals(LAST_LIFE.getAndSet(life))) {
            return;
        }
        TO_COME.remove();
        if (place == Place.END) {
            // Storm's threads end without a word then.
            Thread.currentThread().interrupt();
        } else {
            throw new IllegalStateException("as wanted, at " + place);
        }
    }

    /** Emits 1, 2, 3 ... unhurriedly. */
    static final class Count extends BaseRichSpout {
        private static final long serialVersionUID = 1;

        private transient SpoutOutputCollector out;
        private long next;
        private String life = "";

        @Override
        public void open(Map<String, Object> conf, TopologyContext context, SpoutOutputCollector collector) {
            life = context.getStormId();
            failAt(Place.OPEN, life);
            out = collector;
        }

        @Override
        public void nextTuple() {
            failAt(Place.NEXT_TUPLE, life);
            failAt(Place.END, life);
            out.emit(new Values(++next));
            LockSupport.parkNanos(1_000_000);
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {
            declarer.declare(new Fields("number"));
        }
    }

    /** Counts tuples. */
    static final class See extends BaseRichBolt {
        private static final long serialVersionUID = 1;

        private String life = "";

        @Override
        public void prepare(Map<String, Object> conf, TopologyContext context, OutputCollector collector) {
            life = context.getStormId();
            failAt(Place.PREPARE, life);
        }

        @Override
        public void execute(Tuple tuple) {
            failAt(Place.EXECUTE, life);
            SEEN.incrementAndGet();
        }

        @Override
        public void cleanup() {
            CLEANED.incrementAndGet();
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {}
    }
}
