package io.waterwheel.topology.queryserver;

import io.waterwheel.topology.worker.Closing;
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
 * Shell of a query server: makes the worker's chunk reader reachable under a name. Subqueries come and go beside the
 * data flow; Storm places it, starts it and starts it again.
 */
public final class QueryServerBolt extends BaseRichBolt {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(QueryServerBolt.class);

    private final ServicesFactory factory;
    private transient @Nullable WorkerServices services;
    private transient @Nullable AutoCloseable hosting;

    public QueryServerBolt(ServicesFactory factory) {
        this.factory = factory;
    }

    @Override
    public void prepare(Map<String, Object> conf, TopologyContext context, OutputCollector collector) {
        WorkerServices opened = factory.open(conf);
        services = opened;
        hosting = opened.hostQueryServer(context.getThisTaskIndex());
    }

    @Override
    public void execute(Tuple tuple) {
        // It has no input: subqueries come beside the data.
    }

    @Override
    public void cleanup() {
        Closing.all(LOG, "query-server", hosting, services);
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        // Answers go to coordinators beside the data flow.
    }
}
