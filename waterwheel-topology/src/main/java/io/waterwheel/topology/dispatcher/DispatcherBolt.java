package io.waterwheel.topology.dispatcher;

import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.EventLoop;
import io.waterwheel.topology.worker.ServicesFactory;
import io.waterwheel.topology.worker.WorkerServices;
import java.util.Map;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shell around {@link io.waterwheel.ingest.dispatch.PartitionDispatcher}: records come from the spout, blocks go to
 * indexer tasks; subscriptions and credit come by the control bus. The work is done by {@link DispatcherTask}.
 */
public final class DispatcherBolt extends BaseRichBolt {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(DispatcherBolt.class);

    public static final String STREAM = "blocks";

    private final ServicesFactory factory;
    private transient @Nullable WorkerServices services;
    private transient @Nullable EventLoop<DispatcherEvent> loop;
    private transient @Nullable DispatcherTask task;

    public DispatcherBolt(ServicesFactory factory) {
        this.factory = factory;
    }

    @Override
    public void prepare(Map<String, Object> conf, TopologyContext context, OutputCollector collector) {
        WorkerServices opened = factory.open(conf);
        services = opened;
        DispatcherTask created = new DispatcherTask(opened, context, collector);
        task = created;
        loop = created.start();
    }

    @Override
    public void execute(Tuple tuple) {
        EventLoop<DispatcherEvent> running = loop;
        DispatcherEvent event = DispatcherEvent.ofData(tuple);
        if (running != null && event != null) {
            try {
                running.put(event);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void cleanup() {
        Closing.all(LOG, "dispatcher", task, services);
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        declarer.declareStream(STREAM, true, new Fields("block"));
    }
}
