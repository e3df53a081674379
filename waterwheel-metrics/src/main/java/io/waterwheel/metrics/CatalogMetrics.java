package io.waterwheel.metrics;

/** Of the catalog in ZooKeeper, and the routing of keys. */
public final class CatalogMetrics {
    static final Room ROOM = new Room("The catalog", "Every worker has these.");

    public static final Metric CALLS = ROOM.histogram(
            "waterwheel_catalog_seconds",
            Metric.Scale.CALL,
            "Calls of the catalog that were answered: read, children, ensure, commit (also one that met another), sync.",
            "ZooKeeper's disk, mostly; it wants one of its own.",
            "operation");
    public static final Metric FAILURES = ROOM.counter(
            "waterwheel_catalog_failures_total",
            "Calls of the catalog that failed, or whose outcome is not known.",
            "ZooKeeper is away or does not keep up. Queries go on; no chunk is committed meanwhile.",
            "operation");
    public static final Metric CONFLICTS = ROOM.counter(
            "waterwheel_catalog_conflicts_total",
            "Transactions that met another and changed nothing; most are made again.",
            "Some are normal. Many a second: very many indexers commit to one stream at once.");
    public static final Metric CONNECTED = ROOM.gauge(
            "waterwheel_catalog_connected",
            "1 while the worker is connected to ZooKeeper, else 0.",
            "Look at ZooKeeper, and the network to it, when it is 0.");
    public static final Metric ROUTING_VERSION = ROOM.gauge(
            "waterwheel_routing_version",
            "Version of a stream's newest routing table. The first coordinator has it.",
            "Each step is a change of who indexes which keys; several an hour: the load moves all the time.",
            Metric.STREAM);

    private CatalogMetrics() {}
}
