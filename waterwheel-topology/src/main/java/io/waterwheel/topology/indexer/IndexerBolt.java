package io.waterwheel.topology.indexer;

import io.waterwheel.index.TreeWarmUp;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.EventLoop;
import io.waterwheel.topology.worker.ServicesFactory;
import io.waterwheel.topology.worker.WorkerServices;
import java.util.Map;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Tuple;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shell around {@link io.waterwheel.ingest.indexer.IndexerTask}: blocks come from dispatchers, sealed trees go to the
 * flusher. The work is done by {@link IndexerHost}.
 */
public final class IndexerBolt extends BaseRichBolt {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(IndexerBolt.class);

    private final ServicesFactory factory;
    private transient @Nullable WorkerServices services;
    private transient @Nullable IndexerHost host;
    private transient @Nullable EventLoop<IndexerEvent> loop;

    public IndexerBolt(ServicesFactory factory) {
        this.factory = factory;
    }

    @Override
    public void prepare(Map<String, Object> conf, TopologyContext context, OutputCollector collector) {
        TreeWarmUp.once();
        WorkerServices opened = factory.open(conf);
        services = opened;
        IndexerHost created = new IndexerHost(opened, context);
        host = created;
        loop = created.start();
    }

    @Override
    public void execute(Tuple tuple) {
        EventLoop<IndexerEvent> running = loop;
        IndexerEvent event = IndexerEvent.ofData(tuple);
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
        Closing.all(LOG, "indexer", host, services);
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        // The end of the data's way: chunks are its output.
    }
}
