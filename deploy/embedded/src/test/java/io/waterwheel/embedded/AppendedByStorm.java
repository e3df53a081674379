package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.storm.AppendBolt;
import io.waterwheel.storm.TupleMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.storm.Config;
import org.apache.storm.LocalCluster;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.TopologyBuilder;
import org.apache.storm.topology.base.BaseRichSpout;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Values;
import org.jspecify.annotations.Nullable;

/** A topology of somebody else's, in a local cluster of Storm in its own process, whose bolt appends to a stream. */
final class AppendedByStorm {
    private static final int TUPLES = 2_500;
    /** One of them is no row. */
    private static final int BAD = 1_234;

    private static final String DONE = "DONE, failed: ";

    private static final Set<Object> ACKED = ConcurrentHashMap.newKeySet();
    private static final Set<Object> FAILED = ConcurrentHashMap.newKeySet();

    private final WaterwheelClient client;
    private final String url;
    private final Path folder;

    AppendedByStorm(WaterwheelClient client, String url, Path folder) {
        this.client = client;
        this.url = url;
        this.folder = folder;
    }

    /** Emits each tuple once; those that fail are not emitted again. */
    public static final class Numbers extends BaseRichSpout {
        private static final long serialVersionUID = 1;

        private transient @Nullable SpoutOutputCollector collector;
        private int next;

        @Override
        public void open(Map<String, Object> conf, TopologyContext context, SpoutOutputCollector out) {
            collector = out;
        }

        @Override
        public void nextTuple() {
            SpoutOutputCollector out = collector;
            if (out != null && next < TUPLES) {
                Object n = next == BAD ? "no number" : (Object) (long) next;
                out.emit(new Values(1_633_608_000_000L + next, n, "unused"), next++);
            }
        }

        @Override
        public void ack(Object id) {
            ACKED.add(id);
        }

        @Override
        public void fail(Object id) {
            FAILED.add(id);
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {
            declarer.declare(new Fields("at", "n", "other"));
        }
    }

    void everyTupleThatIsARowIsStoredAndThenAcked() throws Exception {
        client.createStream(new StreamDefinition(
                "storm_numbers",
                "storm_numbers",
                RecordFormat.BLOCK,
                2,
                new Schema(
                        List.of(
                                new Field("at", FieldType.TIMESTAMP, false),
                                new Field("n", FieldType.LONG, false),
                                new Field("note", FieldType.STRING, true)),
                        new KeySpec.Ordered("n"),
                        "at")));
        try (CommandProcess storm = LocalStorm.start(folder, AppendedByStorm.class, url)) {
            try {
                assertThat(storm.line(DONE, LocalStorm.PATIENCE)).isEqualTo(DONE + List.of(BAD));
                Waiting.until(
                        "queries see what was acked",
                        () -> client.query("storm_numbers").count() == TUPLES - 1);
                // Nor does it outlive the JVM of a test that is killed.
                storm.endInput();
                assertThat(storm.code(60)).isZero();
            } catch (Throwable e) {
                System.err.println("storm appends: its standard error ends:\n" + storm.errEnd());
                throw e;
            }
        }
        assertThat(client.query("storm_numbers").where("note IS NULL").count()).isEqualTo(TUPLES - 1);
        client.drop("storm_numbers");
    }

    /** What runs in the process of Storm: says what has failed when all tuples are acked or failed. */
    public static void main(String[] args) throws Exception {
        LocalStorm.serve(() -> append(args[0]));
    }

    @SuppressWarnings({"SystemOut", "resource"}) // the parent reads it; the process ends by being killed
    private static void append(String url) throws Exception {
        TopologyBuilder topology = new TopologyBuilder();
        topology.setSpout("numbers", new Numbers());
        topology.setBolt("append", new AppendBolt("storm_numbers", TupleMapper.BY_NAME, url), 2)
                .shuffleGrouping("numbers");
        Config conf = new Config();
        conf.setMaxSpoutPending(700);
        // Storm takes a tuple for lost after that: on a busy machine none is.
        conf.setMessageTimeoutSecs(600);
        LocalStorm.cluster(new LocalCluster.Builder().withDaemonConf(Config.TOPOLOGY_ENABLE_MESSAGE_TIMEOUTS, true), 1)
                .submitTopology("appends", conf, topology.createTopology());
        boolean all = Waiting.holds(Duration.ofMinutes(4), () -> ACKED.size() + FAILED.size() == TUPLES);
        System.out.println(DONE + FAILED + (all ? "" : " and only " + ACKED.size() + " acked"));
    }
}
