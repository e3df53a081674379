package io.waterwheel.embedded;

import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.storm.generated.StormTopology;
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

/** The smallest topology: a spout that counts and a bolt that tells how far it has seen it count. */
public final class CountingTopology {
    public static final AtomicLong SEEN = new AtomicLong();

    private CountingTopology() {}

    public static StormTopology make(WaterwheelConfig config) {
        TopologyBuilder builder = new TopologyBuilder();
        builder.setSpout("count", new Count());
        builder.setBolt("see", new See()).shuffleGrouping("count");
        return builder.createTopology();
    }

    /** Emits 1, 2, 3 ... unhurriedly. */
    static final class Count extends BaseRichSpout {
        private static final long serialVersionUID = 1;

        private transient SpoutOutputCollector out;
        private long next;

        @Override
        public void open(Map<String, Object> conf, TopologyContext context, SpoutOutputCollector collector) {
            WaterwheelConfig.fromStormConf(conf); // it came along
            out = collector;
        }

        @Override
        public void nextTuple() {
            out.emit(new Values(++next));
            LockSupport.parkNanos(1_000_000);
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {
            declarer.declare(new Fields("number"));
        }
    }

    /** Notes the largest number. */
    static final class See extends BaseRichBolt {
        private static final long serialVersionUID = 1;

        @Override
        public void prepare(Map<String, Object> conf, TopologyContext context, OutputCollector collector) {}

        @Override
        public void execute(Tuple tuple) {
            SEEN.accumulateAndGet(tuple.getLong(0), Math::max);
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {}
    }
}
