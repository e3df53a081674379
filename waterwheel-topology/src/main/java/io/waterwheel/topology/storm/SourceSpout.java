package io.waterwheel.topology.storm;

import io.waterwheel.topology.task.SourceTask;
import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskOpener;
import io.waterwheel.topology.worker.Role;
import java.util.Map;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichSpout;
import org.apache.storm.tuple.Fields;
import org.jspecify.annotations.Nullable;

/** The shell of a task that reads. Storm calls it on one thread: that is the spout's. */
public final class SourceSpout extends BaseRichSpout {
    private static final long serialVersionUID = 1;
    /** On which it sends. */
    public static final String RECORDS = "records";

    private final TaskOpener opener;
    private transient @Nullable SourceTask task;

    public SourceSpout(TaskOpener opener) {
        this.opener = opener;
    }

    @Override
    public void open(Map<String, Object> conf, TopologyContext context, SpoutOutputCollector collector) {
        Task opened = StormTaskContext.open(
                opener,
                Role.SPOUT,
                conf,
                new StormTaskContext(Role.SPOUT, context, (to, message) -> collector.emitDirect(to, RECORDS, message)));
        task = (SourceTask) opened;
    }

    @Override
    public void nextTuple() {
        SourceTask now = task;
        if (now != null) {
            now.next();
        }
    }

    @Override
    public void deactivate() {
        SourceTask now = task;
        if (now != null) {
            now.stand();
        }
    }

    @Override
    public void activate() {
        SourceTask now = task;
        if (now != null) {
            now.goOn();
        }
    }

    @Override
    public void close() {
        SourceTask now = task;
        task = null;
        if (now != null) {
            now.close();
        }
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        declarer.declareStream(RECORDS, true, new Fields("batch"));
    }
}
