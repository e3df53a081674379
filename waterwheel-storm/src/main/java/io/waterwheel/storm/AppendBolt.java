package io.waterwheel.storm;

import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.storm.Config;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.utils.TupleUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends each tuple as a row of a stream, and acks it once Kafka has stored the row. At most {@link #MOST_PENDING}
 * tuples wait for that; then, and every second, all are flushed together. It emits nothing.
 *
 * <p>A tuple that is no row of the stream is reported with the reason, and fails: whether it comes again is the spout's
 * to say. When Kafka or the server is away, all that wait fail, and the bolt connects anew. What a spout then replays
 * is appended again: rows are stored at least once. A row that the server refuses, such as one whose position is
 * outside of the key's box, is a dead letter of the stream.
 */
public final class AppendBolt extends BaseRichBolt {
    /** Tuples that wait to be acked. */
    public static final int MOST_PENDING = 1_000;

    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(AppendBolt.class);
    private static final int FLUSH_SECONDS = 1;
    /** Between two attempts to connect; what comes between fails at once. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String[] servers;
    private final String stream;
    private final TupleMapper mapper;
    private transient @Nullable Running running;

    /**
     * A bolt.
     *
     * @param stream that rows are appended to; it must exist when the first tuple comes
     * @param mapper makes rows of tuples, such as {@link TupleMapper#BY_NAME}
     * @param servers addresses of coordinators, such as {@code grpc://127.0.0.1:7070}; one at least
     */
    public AppendBolt(String stream, TupleMapper mapper, String... servers) {
        if (servers.length == 0) {
            throw new IllegalArgumentException("no server: expected at least one grpc://HOST:PORT");
        }
        this.stream = stream;
        this.mapper = mapper;
        this.servers = servers.clone();
    }

    @Override
    public Map<String, Object> getComponentConfiguration() {
        return Map.of(Config.TOPOLOGY_TICK_TUPLE_FREQ_SECS, FLUSH_SECONDS);
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        // It emits nothing.
    }

    @Override
    public void prepare(Map<String, Object> conf, TopologyContext context, OutputCollector collector) {
        running = new Running(WaterwheelClient.connect(servers), collector);
    }

    @Override
    public void execute(Tuple tuple) {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("a tuple came before the bolt was prepared");
        }
        if (TupleUtils.isTick(tuple)) {
            now.flush();
        } else {
            now.append(tuple);
        }
    }

    @Override
    public void cleanup() {
        Running now = running;
        running = null;
        if (now != null) {
            now.close();
        }
    }

    /** What exists between prepare and cleanup. Owner: the bolt's executor. */
    private final class Running {
        private final WaterwheelClient client;
        private final OutputCollector collector;
        private final List<Tuple> pending = new ArrayList<>();
        private @Nullable Appender open;
        private @Nullable WaterwheelException away;
        private long triedNanos;

        Running(WaterwheelClient client, OutputCollector collector) {
            this.client = client;
            this.collector = collector;
        }

        void append(Tuple tuple) {
            try {
                Appender appender = appender();
                appender.append(mapper.values(tuple, appender.stream().schema().fields()));
                pending.add(tuple);
            } catch (IllegalArgumentException e) {
                collector.reportError(new IllegalArgumentException(
                        "stream " + stream + ": a tuple of " + tuple.getSourceComponent() + " is no row: "
                                + e.getMessage(),
                        e));
                collector.fail(tuple);
            } catch (WaterwheelException e) {
                pending.add(tuple);
                fail(e);
            }
            if (pending.size() >= MOST_PENDING) {
                flush();
            }
        }

        private Appender appender() {
            Appender there = open;
            if (there != null) {
                return there;
            }
            WaterwheelException before = away;
            if (before != null && System.nanoTime() - triedNanos < PAUSE_NANOS) {
                throw before;
            }
            try {
                there = client.appender(stream);
                away = null;
                open = there;
                return there;
            } catch (WaterwheelException e) {
                away = e;
                throw e;
            } finally {
                triedNanos = System.nanoTime();
            }
        }

        void flush() {
            Appender appender = open;
            if (pending.isEmpty() || appender == null) {
                return;
            }
            try {
                appender.flush();
            } catch (WaterwheelException e) {
                fail(e);
                return;
            }
            pending.forEach(collector::ack);
            pending.clear();
        }

        /** What waits may be stored or not. */
        private void fail(WaterwheelException why) {
            if (why != away || pending.size() > 1) {
                collector.reportError(why);
            }
            pending.forEach(collector::fail);
            pending.clear();
            Appender broken = open;
            open = null;
            if (broken != null) {
                try {
                    broken.close();
                } catch (WaterwheelException e) {
                    // Its failure is the one that was reported.
                    LOG.debug("[{}] an appender that had failed did not close", stream, e);
                }
            }
        }

        void close() {
            try {
                flush();
            } finally {
                if (!pending.isEmpty()) {
                    fail(new WaterwheelException(ErrorCode.APPEND_FAILED, "stream " + stream + ": the bolt ends"));
                }
                Appender last = open;
                if (last != null) {
                    last.close();
                }
                client.close();
            }
        }
    }
}
