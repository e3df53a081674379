package io.waterwheel.topology.config;

import io.waterwheel.query.memory.QueryMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Every key that Waterwheel reads. What is not here is refused. */
public final class Keys {
    private static final String HOST_PORTS = "[^,:/\\s]+:\\d{1,5}(,[^,:/\\s]+:\\d{1,5})*";
    private static final List<Key<?>> KEYS = new ArrayList<>();

    /** Value of a host's key that stands for the host of the worker's Supervisor, as Storm calls it. */
    public static final String STORM_HOST = "storm.local.hostname";

    private static final String PER_WORKER =
            " " + STORM_HOST + " stands for what that setting says in the storm.yaml of"
                    + " each worker's Supervisor, else for its machine's own name: one configuration for many machines.";

    public static final Key<String> NAMESPACE = add(Key.text("namespace", "default")
            .matching("[A-Za-z0-9][A-Za-z0-9._-]{0,99}", "letters, digits, dots, underscores and hyphens, at most 100")
            .doc("Streams that one topology serves. Each namespace has its own part of the catalog; nothing is shared"
                    + " between two."));

    public static final Key<String> ZOOKEEPER_CONNECT = add(Key.text("zookeeper.connect", "127.0.0.1:2181")
            .matching(HOST_PORTS, "host:port with commas between")
            .doc("ZooKeeper servers, without a path."));
    public static final Key<String> ZOOKEEPER_ROOT = add(Key.text("zookeeper.root", "/waterwheel")
            .matching("(/[A-Za-z0-9._-]+)+", "an absolute path such as /waterwheel")
            .doc("Node under which every namespace has its catalog."));
    public static final Key<Duration> ZOOKEEPER_SESSION_TIMEOUT = add(Key.duration("zookeeper.session-timeout", "10 s")
            .atLeast("1 s")
            .atMost("5 min")
            .doc("How long after a process fell silent it counts as dead. Shorter: quicker fail-over, more false"
                    + " alarms in long pauses. ZooKeeper's own limits (2 to 20 ticks) apply."));
    public static final Key<String> ZOOKEEPER_AUTH = add(
            Key.text("zookeeper.auth", "none")
                    .matching("none|env:[A-Za-z_][A-Za-z0-9_]*|file:/.*\\S", "none, env:VARIABLE or file:/path")
                    .doc(
                            "Where the catalog's digest credentials are: a variable of every worker's environment, or a file on every"
                                    + " worker's machine, which holds one line, user:password. The secret itself never stands here."));
    public static final Key<String> ZOOKEEPER_ACL = add(Key.text("zookeeper.acl", "open")
            .matching("open|creator", "open or creator")
            .doc("Who may read and change the catalog's nodes that are created from now on: open: everybody who reaches"
                    + " ZooKeeper; creator: who has the credentials of zookeeper.auth; where coordinators answer may be read by all."
                    + " Nodes that exist keep theirs."));

    public static final Key<String> KAFKA_BOOTSTRAP = add(Key.text("kafka.bootstrap", "127.0.0.1:9092")
            .matching(HOST_PORTS, "host:port with commas between")
            .doc("Kafka brokers to start from."));
    public static final Key<String> KAFKA_CLIENT_BOOTSTRAP = add(Key.text("kafka.client-bootstrap", "kafka.bootstrap")
            .matching("kafka\\.bootstrap|" + HOST_PORTS, "kafka.bootstrap, or host:port with commas between")
            .doc("Kafka brokers that clients are told to append at, where those are others than the workers'."
                    + " kafka.bootstrap: the same."));

    /** What {@link #KAFKA_DELETE_INDEXED} is where nothing is said of it. */
    public static final String AUTO = "auto";

    /** No record is deleted. */
    public static final String OFF = "off";

    public static final Key<String> KAFKA_DELETE_INDEXED = add(Key.text("kafka.delete-indexed", AUTO)
            .matching(
                    "auto|off|\\d{1,9} ?(ms|s)|\\d{1,7} ?min|\\d{1,5} ?h|\\d{1,4} ?d",
                    "auto, off, or a duration such as 2 h")
            .doc("How long after their rows came into chunks records are deleted from the topics that were made for"
                    + " streams, once no stream of the topic needs them; off: never. auto: 2 h in the server in one"
                    + " process with a Kafka of its own, off elsewhere. Never before ten looks at the topic"
                    + " (source.check-interval). A copy of the catalog goes with a copy of the"
                    + " topics that was taken within that time (docs/operations.md, Backup and restore)."));

    public static final Key<String> REGISTRY_AUTH = add(Key.text("registry.auth", "none")
            .matching("none|env:[A-Za-z_][A-Za-z0-9_]*|file:/.*\\S", "none, env:VARIABLE or file:/path")
            .doc(
                    "Where passwords, tokens and trusted certificates of schema registries are: a variable of every worker's"
                            + " environment, or a file on every worker's machine, with a line for each (docs/formats.md). The"
                            + " secrets themselves never stand here."));

    public static final Key<String> CHUNK_STORE_URI =
            add(Key.text("chunk-store.uri", "file:///var/lib/waterwheel/chunks")
                    .matching("(file:///|hdfs://)\\S+", "file:///folder or hdfs://namenode:port/folder")
                    .doc(
                            "Where chunk files are written, in a folder named like the namespace. A file:/// folder only where every"
                                    + " worker sees the same one. No other program may write there."));

    public static final Key<String> CHUNK_STORE_SYNC = add(Key.text("chunk-store.sync", "hsync")
            .matching("hsync|hflush", "hsync or hflush")
            .doc("What HDFS must have done with a file before it is committed. hsync: it is on the disks of all its"
                    + " datanodes; hflush: it is in their memory, so that a power failure of all of them at once may lose"
                    + " what is committed. A local folder is always synced."));

    public static final Key<DataSize> SCRUB_RATE = add(Key.bytes("scrub.rate", "4 MiB")
            .atLeast("0 B")
            .atMost("1 GiB")
            .doc("Bytes a second at which the first coordinator reads all chunks again and again, to find damaged ones"
                    + " before a query does: at 4 MiB, 345 GB a day. 0 B: never."));
    public static final Key<DataSize> DISK_RESERVE = add(Key.bytes("disk.reserve", "256 MiB")
            .atLeast("0 B")
            .atMost("1 TiB")
            .doc("Bytes that stay free on the disk of a local chunk store, and of the data folder of the server in one"
                    + " process, but no more than a tenth of the disk. Below that no chunk is written and the server's"
                    + " broker takes no records, until there is room again; questions are answered."));

    public static final Key<String> TOPOLOGY_NAME = add(Key.text("topology.name", "waterwheel")
            .matching("[A-Za-z0-9][A-Za-z0-9_-]{0,99}", "letters, digits, underscores and hyphens, at most 100")
            .doc("Name of the topology."));
    public static final Key<Integer> TOPOLOGY_WORKERS = add(Key.integer("topology.workers", 2)
            .atLeast("1")
            .atMost("10000")
            .doc("Worker processes that Storm spreads the tasks over."));
    public static final Key<Integer> SPOUT_TASKS = add(tasks("spout.tasks", 1).doc("Tasks that read Kafka."));
    public static final Key<DataSize> SPOUT_READ_AHEAD = add(Key.bytes("spout.read-ahead", "32 MiB")
            .atLeast("1 MiB")
            .atMost("16 GiB")
            .doc(
                    "Records that one spout task has read and that have not come to a dispatcher yet, an even share for each"
                            + " dispatcher; beyond it reading waits."));
    public static final Key<Integer> DISPATCHER_TASKS =
            add(tasks("dispatcher.tasks", 2).doc("Tasks that decode records and route tuples."));
    public static final Key<Integer> INDEXER_TASKS =
            add(tasks("indexer.tasks", 2).doc("Tasks that index fresh tuples and write chunks."));
    public static final Key<Integer> QUERY_SERVER_TASKS =
            add(tasks("query-server.tasks", 2).doc("Tasks that answer subqueries on chunks."));
    public static final Key<Integer> QUERY_SERVER_READERS = add(Key.integer("query-server.readers", 0)
            .atLeast("0")
            .atMost("1024")
            .doc("Chunks that each of these tasks reads at once for one query. 0: as many as the coordinator's process"
                    + " has processors, divided by the query servers in it, but at least 1."));
    public static final Key<Integer> COORDINATOR_TASKS = add(tasks("coordinator.tasks", 2)
            .doc("Tasks that take queries. Any of them answers any query; two, so that one may die."));

    public static final Key<String> COORDINATOR_HOST = add(Key.text("coordinator.host", "127.0.0.1")
            .matching("\\S+", "a host name or address")
            .doc("Address at which coordinators listen for clients. The default is reachable from this machine only."
                    + PER_WORKER));
    public static final Key<List<Integer>> COORDINATOR_PORTS = add(Key.integers("coordinator.ports", "0")
            .atLeast("0")
            .atMost("65535")
            .doc("Ports at which coordinators listen: the first free one of the list; 0 is any free port. Clients find"
                    + " the port through ZooKeeper."));
    public static final Key<String> WORKER_RPC_HOST = add(Key.text("worker.rpc-host", "127.0.0.1")
            .matching("\\S+", "a host name or address")
            .doc("Address at which workers listen for each other's subqueries, and the name by which a query server is"
                    + " found to be beside a DataNode of HDFS: its dfs.datanode.hostname must be the same text. The"
                    + " default is reachable from this machine only." + PER_WORKER));

    /** Value of a host's key for which there is no port. */
    public static final String NO_HOST = "none";

    public static final Key<String> METRICS_HOST = add(Key.text("metrics.host", "127.0.0.1")
            .matching("\\S+", "a host name or address, or none")
            .doc(
                    "Address at which workers listen for Prometheus. The default is reachable from this machine only. none:"
                            + " workers have no such port; the server in one process has the page at its gateway's port instead."
                            + PER_WORKER));
    public static final Key<List<Integer>> METRICS_PORTS = add(Key.integers("metrics.ports", "0")
            .atLeast("0")
            .atMost("65535")
            .doc("Ports at which workers listen for Prometheus: the first free one of the list; 0 is any free port."
                    + " Prometheus finds the port by GET /v1/sd/prometheus of a gateway."));
    public static final Key<Integer> METRICS_STREAMS = add(Key.integer("metrics.streams", 100)
            .atLeast("0")
            .atMost("100000")
            .doc("Streams that have time series of their own in the metrics of each worker and gateway; the first to be"
                    + " met. Further ones are summed up as 'other'. Each takes some 200 series a worker."));

    public static final Key<DataSize> INDEXER_SEAL_SIZE = add(Key.bytes("indexer.seal-size", "16 MiB")
            .atLeast("64 KiB")
            .atMost("1 GiB")
            .doc("Tuples held before a tree is sealed and written as a chunk. Larger: fewer chunks, more memory and"
                    + " more to read again after a crash."));
    public static final Key<Duration> INDEXER_SEAL_AGE = add(Key.duration("indexer.seal-age", "10 min")
            .atLeast("1 s")
            .atMost("7 d")
            .doc("Age of its oldest tuple at which a tree is sealed although it is small. Keep it well below Kafka's"
                    + " retention."));
    public static final Key<Duration> LATE_THRESHOLD = add(Key.duration("late.threshold", "5 min")
            .atLeast("0 ms")
            .atMost("3650 d")
            .doc(
                    "How far behind the stream's newest tuple, by event time, a tuple may be before it counts as late. Late"
                            + " tuples are as visible as others, but are stored in separate chunks. Set it at least as long as the"
                            + " time before now that most queries ask for."));
    public static final Key<Duration> LATE_FUTURE_TOLERANCE = add(Key.duration("late.future-tolerance", "1 min")
            .atLeast("0 ms")
            .atMost("3650 d")
            .doc(
                    "How far ahead of the clock a tuple's time may be. Tuples further ahead are as visible as others, but are"
                            + " stored in separate chunks and do not count as the stream's newest."));
    public static final Key<DataSize> INDEXER_MEMORY_POOL = add(Key.bytes("indexer.memory-pool", "128 MiB")
            .atLeast("1 MiB")
            .atMost("1 TiB")
            .doc("Memory of all trees of one indexer task: the active one, those being written, and those kept for"
                    + " queries. When it is used up, reading waits; an eighth is kept for pages that are not full."));
    public static final Key<DataSize> INDEXER_CREDIT_WINDOW = add(Key.bytes("indexer.credit-window", "512 KiB")
            .atLeast("16 KiB")
            .atMost("256 MiB")
            .doc("Tuples that may be under way to one indexer. Larger: more throughput over slow networks; queries wait"
                    + " behind more data."));
    public static final Key<DataSize> DISPATCHER_RING_SIZE = add(Key.bytes("dispatcher.ring-size", "32 MiB")
            .atLeast("64 KiB")
            .atMost("16 GiB")
            .doc("Recent decoded blocks that one dispatcher task keeps, so that a channel that lags a little does not"
                    + " read the log again."));
    public static final Key<DataSize> DISPATCHER_BLOCK_SIZE = add(Key.bytes("dispatcher.block-size", "128 KiB")
            .atLeast("1 KiB")
            .atMost("16 MiB")
            .doc("Size at which a block of tuples is sent on. What has arrived is never held back to fill a block."));

    public static final Key<Integer> QUERY_LIGHT_AT_ONCE = add(Key.integer("query.light-at-once", 0)
            .atLeast("0")
            .atMost("10000")
            .doc(
                    "Light queries that run at a time in one process; further ones wait for their turn, and the client with"
                            + " fewest running comes first. 0: eight a processor."));
    public static final Key<Integer> QUERY_HEAVY_AT_ONCE = add(Key.integer("query.heavy-at-once", 0)
            .atLeast("0")
            .atMost("10000")
            .doc("Heavy queries that run at a time in one process, beside the light ones. 0: half as many as it has"
                    + " processors, at least one."));
    public static final Key<Integer> QUERY_HEAVY_TUPLES = add(Key.integer("query.heavy-tuples", 1_000_000)
            .atLeast("1")
            .atMost("2000000000")
            .doc("A query is heavy when it is expected to look at this number of tuples or more, by the key"
                    + " ranges of chunks and trees."));
    public static final Key<Integer> QUERY_OPEN = add(Key.integer("query.open", 256)
            .atLeast("1")
            .atMost("10000")
            .doc(
                    "Queries that are open at a time in one process: they run, wait for their turn, or for their client. One"
                            + " more is refused with SERVER_BUSY, or, when another client has two more open, the last of"
                            + " that client's that has not begun."));
    public static final Key<Duration> QUERY_TIMEOUT = add(Key.duration("query.timeout", "30 s")
            .atLeast("1 ms")
            .atMost("1 h")
            .doc("Deadline of a query that names none."));
    public static final Key<Duration> QUERY_MAX_TIMEOUT = add(Key.duration("query.max-timeout", "10 min")
            .atLeast("1 ms")
            .atMost("1 h")
            .doc("Longest deadline of a query: one that asks for more time gets this."));
    public static final Key<Duration> QUERY_CLIENT_PATIENCE = add(Key.duration("query.client-patience", "30 s")
            .atLeast("100 ms")
            .atMost("1 d")
            .doc("How long an answer waits for a client that takes less than about 1 MiB of it: then it ends with"
                    + " CLIENT_SLOW, and its memory comes back."));
    public static final Key<Duration> QUERY_WARM_UP = add(Key.duration("query.warm-up", "1 s")
            .atLeast("0 ms")
            .atMost("10 s")
            .doc("Processor time in which a new worker process answers questions of its own about rows of its own, in a"
                    + " temporary folder, so that the first answers to clients are nearly as quick as later ones. It begins"
                    + " beside the rest of the start. Once each kind of question has been answered, a coordinator asks about"
                    + " streams that are there, as clients do, for at most half as long again by the clock; then it says"
                    + " that it is there. None of this is counted, listed or logged as a query. The rest goes on beside"
                    + " the first clients, on threads of low priority, while none has asked for a second. On a machine"
                    + " that is busy the first part and the last end after ten times as long, and at most 10 s later than"
                    + " that time. 0 s: not at all."));
    public static final Key<Duration> QUERY_SLOW = add(Key.duration("query.slow", "5 s")
            .atLeast("0 ms")
            .atMost("1 h")
            .doc(
                    "A query that takes at least so long, from its coming to the end of its answer, is a line in the log of"
                            + " the coordinator's worker: who asked what, where the time went, how much was read. 20 lines"
                            + " each 10 s at most. 0 s: never."));
    public static final Key<String> QUERY_SLOW_VALUES = add(Key.text("query.slow-values", "shown")
            .matching("shown|hidden", "shown or hidden")
            .doc("Whether such a line has the values that the query names. hidden: question marks in place of those of"
                    + " its condition, and of its times only how long they are; keys and shapes are never named."));
    /** Least bytes of {@code query.memory} for one query: an answer on its way, beside rows that are read. */
    static final long LEAST_QUERY_SHARE_BYTES = QueryMemory.LEAST_OF_A_QUERY;

    public static final Key<DataSize> QUERY_MEMORY = add(Key.bytes("query.memory", "512 MiB")
            .atLeast("8 MiB")
            .atMost("1 TiB")
            .doc("Heap that all queries of one worker may take together: columns being read, rows kept for an order,"
                    + " groups, answers on their way. Who asks for more fails with QUERY_MEMORY."));
    public static final Key<DataSize> QUERY_SPILL = add(
            Key.bytes("query.spill", "8 GiB")
                    .atLeast("0 B")
                    .atMost("1024 TiB")
                    .doc(
                            "Disk of the temporary folder (java.io.tmpdir) that all queries of one worker may take together, for"
                                    + " groups that do not fit into query.memory. One query takes half of it at most, and again as much"
                                    + " while its runs are merged. Who needs more fails with SPILL_FULL, or SPILL_BUSY where other"
                                    + " queries hold it. Twice disk.reserve of that disk stays free. Where the folder is a tmpfs, this is memory. 0 B: groups must fit into memory."));
    public static final Key<DataSize> SQL_MEMORY = add(Key.bytes("sql.memory", "512 MiB")
            .atLeast("64 MiB")
            .doc("Memory of a coordinator's process of DuckDB, which answers joins, windows and set operations, for all"
                    + " statements together, beside some 150 MiB of the process itself. It is started by the first such"
                    + " statement, and ends after five minutes without one."));
    public static final Key<DataSize> SQL_SPILL = add(Key.bytes("sql.spill", "8 GiB")
            .atLeast("0 B")
            .doc(
                    "Disk of its temporary folder (java.io.tmpdir), where rows go that do not fit in sql.memory. A statement that"
                            + " needs more is refused with QUERY_MEMORY."));
    public static final Key<String> SQL_CHANGES = add(Key.text("sql.changes", "allow")
            .matching("allow|deny", "allow or deny")
            .doc(
                    "Whether statements may change something: INSERT, and CREATE, ALTER and DROP of streams, views and tables."
                            + " deny: they are refused; the command line and programs still change streams."));
    public static final Key<String> SQL_TABLES = add(Key.text("sql.tables", "none")
            .matching(
                    "none|/[^*?\\[\\]{}]*[^*?\\[\\]{}\\s]",
                    "none, or an absolute path without *, ?, brackets and braces")
            .doc(
                    "Folder of the coordinators' machines with the CSV and Parquet files that CREATE TABLE may name; no other file"
                            + " is read. Each coordinator needs the same files. none: no file is read."));
    public static final Key<DataSize> SQL_TABLE_SIZE = add(Key.bytes("sql.table-size", "64 MiB")
            .atLeast("1 KiB")
            .doc("Largest file of a table. It is read by each statement that names the table, within sql.memory."));
    public static final Key<Integer> SQL_AT_ONCE = add(Key.integer("sql.at-once", 4)
            .atLeast("1")
            .atMost("64")
            .doc("Such statements that a coordinator answers at a time. Others wait until their timeout."));

    public static final Key<Integer> QUERY_MEMORY_SHARE = add(Key.integer("query.memory-share", 50)
            .atLeast("1")
            .atMost("100")
            .doc("Per cent of query.memory that one query may take in one worker. It must be 4 MiB at least."));
    public static final Key<DataSize> QUERY_SERVER_CACHE_SIZE = add(Key.bytes("query-server.cache-size", "1 GiB")
            .atLeast("1 MiB")
            .atMost("1 TiB")
            .doc("Templates and leaves that all query servers of one worker keep in memory. Must fit the worker's heap"
                    + " beside the indexers' pools."));

    public static final Key<Duration> SOURCE_CHECK_INTERVAL = add(Key.duration("source.check-interval", "1 s")
            .atLeast("100 ms")
            .atMost("1 min")
            .doc(
                    "How often topics are looked at: whether they have new partitions, were made anew, or hold less than was"
                            + " read."));
    public static final Key<Duration> HEARTBEAT_INTERVAL = add(Key.duration("heartbeat.interval", "100 ms")
            .atLeast("1 ms")
            .atMost("10 s")
            .doc("How often a channel that just fell silent says that it is alive; one that has been idle for a second"
                    + " says so every fourth time, and at least every 400 ms unless this is longer."));
    public static final Key<Duration> REPORT_INTERVAL = add(Key.duration("report.interval", "200 ms")
            .atLeast("10 ms")
            .atMost("10 s")
            .doc("How often an indexer reports what its fresh trees cover."));

    public static final Key<Integer> CATALOG_MANIFEST_INTERVAL_EDITS =
            add(Key.integer("catalog.manifest-interval-edits", 1_000)
                    .atLeast("10")
                    .atMost("20000")
                    .doc(
                            "Edits of a stream that ZooKeeper holds before they are rolled up into manifest files in the chunk store;"
                                    + " half as many are kept longer, for coordinators that lag. More: larger ZooKeeper snapshots, slower"
                                    + " starts of coordinators."));

    public static final Key<Integer> CATALOG_TOTAL_EDITS = add(Key.integer("catalog.total-edits", 100_000)
            .atLeast("1000")
            .atMost("2000000")
            .doc(
                    "Edits of all streams that ZooKeeper holds, a kilobyte each, before those of the streams that have most"
                            + " are rolled up too."));

    public static final Key<Duration> CATALOG_EDIT_AGE = add(Key.duration("catalog.edit-age", "1 d")
            .atLeast("1 min")
            .atMost("365 d")
            .doc("Edits older than this are rolled up, however few a stream has."));

    public static final Key<Duration> MAINTENANCE_GRACE = add(Key.duration("maintenance.grace", "2 h")
            .atLeast("1 s")
            .atMost("30 d")
            .doc("How long a chunk file that no stream owns (left by a crash, expired, of a dropped stream) is kept"
                    + " before it is removed. Longer than any query may take: one with a longer deadline is refused."));
    public static final Key<Duration> MAINTENANCE_INTERVAL = add(Key.duration("maintenance.interval", "10 min")
            .atLeast("100 ms")
            .atMost("1 d")
            .doc("How often tuples expire, where a stream has a retention, small chunks are merged, and files that no"
                    + " stream owns are looked for."));
    public static final Key<DataSize> MAINTENANCE_MERGE_SIZE = add(Key.bytes("maintenance.merge-size", "16 MiB")
            .atLeast("0 B")
            .atMost("1 GiB")
            .doc("Tuples of a merged chunk. Chunks of less than half of it are merged with others of their indexer and"
                    + " their time. A worker takes four times as much memory for a merge. 0 B: chunks are not"
                    + " merged."));
    public static final Key<Duration> MAINTENANCE_MERGE_SPAN = add(Key.duration("maintenance.merge-span", "1 d")
            .atLeast("1 s")
            .atMost("3650 d")
            .doc("Times that a merged chunk spans at most; where a stream has a retention, a sixteenth of that, since a"
                    + " chunk expires as a whole. Chunks that span more than half of this already, of late tuples for"
                    + " one, are merged with each other only, and may span twice as much, or more where nothing"
                    + " expires."));

    public static final Key<Integer> BALANCER_DEVIATION = add(Key.integer("balancer.deviation", 20)
            .atLeast("1")
            .atMost("1000")
            .doc("Per cent by which an indexer's load may differ from the mean before the keys of a stream are divided"
                    + " anew, where its policy is balancing: auto."));
    public static final Key<Duration> BALANCER_PATIENCE = add(Key.duration("balancer.patience", "5 s")
            .atLeast("0 ms")
            .atMost("1 h")
            .doc("How long the load must be uneven before keys are divided anew. Loads are those of the last 5 seconds:"
                    + " with less patience a sudden change is answered half-way first."));
    public static final Key<Duration> BALANCER_MIN_INTERVAL = add(Key.duration("balancer.min-interval", "20 s")
            .atLeast("0 ms")
            .atMost("1 d")
            .doc("Least time between two divisions of a stream's keys. Each is an edit of the catalog."));

    public static final Key<String> GATEWAY_HOST = add(Key.text("gateway.host", "127.0.0.1")
            .matching("\\S+", "a host name or address")
            .doc("Address at which a gateway listens for HTTP. The default is reachable from this machine only."));
    public static final Key<Integer> GATEWAY_PORT = add(Key.integer("gateway.port", 7071)
            .atLeast("0")
            .atMost("65535")
            .doc("Port at which a gateway listens; 0 is any free one. The server in one process takes the port behind"
                    + " that of its coordinator where this is not set: 7071 behind 7070. Where that is 0, it takes a free"
                    + " one too, and the same again after a restart on its folder."));
    public static final Key<String> GATEWAY_IN_SERVER = add(Key.text("gateway.in-server", "started")
            .matching("started|none", "started or none")
            .doc("Whether the server in one process has a gateway in it: started, or none."));
    public static final Key<Integer> GATEWAY_CONNECTIONS = add(Key.integer("gateway.connections", 1_000)
            .atLeast("1")
            .atMost("100000")
            .doc("Connections that one gateway holds at a time; further ones wait to be accepted."));
    public static final Key<Integer> GATEWAY_QUERIES = add(Key.integer("gateway.queries", 64)
            .atLeast("1")
            .atMost("10000")
            .doc("Queries that one gateway has open at a time, each with a thread and about a megabyte of its answer,"
                    + " in Parquet up to ten; one more is refused with status 429."));
    public static final Key<DataSize> GATEWAY_PUSH_MEMORY = add(Key.bytes("gateway.push-memory", "56 MiB")
            .atLeast("1 MiB")
            .atMost("64 GiB")
            .doc("Bytes of rows under way in one gateway: bodies, what they expand to, and rows that Kafka has not"
                    + " confirmed. A request that would take more is refused with status 429."));
    public static final Key<DataSize> GATEWAY_KEY_MEMORY = add(Key.bytes("gateway.key-memory", "128 MiB")
            .atLeast("1 MiB")
            .atMost("64 GiB")
            .doc(
                    "Bytes of the keys of appends (`Idempotency-Key`) that one gateway remembers, about 200 a key. A new key"
                            + " beyond that is refused with status 429."));
    public static final Key<String> GATEWAY_ALLOWED_HOSTS = add(Key.text("gateway.allowed-hosts", "own")
            .matching("\\S+", "own, or names with commas between")
            .doc("Names by which requests may call a gateway (the header Host), with commas between. `own`: a gateway"
                    + " that is called at a loopback address takes that, `localhost` and its host, any other takes all."
                    + " With names, others are refused with status 403: a page whose name was made to stand for the"
                    + " gateway's address cannot use a browser to reach it."));
    public static final Key<String> GATEWAY_INFLUX = add(Key.text("gateway.influx", "measurement")
            .matching(
                    "measurement|[^=,\\s]+=[^=,\\s]+(,[^=,\\s]+=[^=,\\s]+)*", "measurement, or NAME=STREAM with commas")
            .doc("Streams for the points that InfluxDB's writers send: DATABASE=STREAM or DATABASE/MEASUREMENT=STREAM,"
                    + " with commas between; a bucket is a database. What is not named goes to the stream that has the"
                    + " measurement's name."));
    public static final Key<Duration> GATEWAY_IDLE_TIMEOUT = add(Key.duration("gateway.idle-timeout", "30 s")
            .atLeast("100 ms")
            .atMost("1 h")
            .doc("How long a connection to a gateway may rest, and how long a client may take for 64 KiB of an answer,"
                    + " before it is ended."));

    /** Keys of older releases, with their names of today. */
    static final Map<String, String> RENAMED = Map.of(
            "late.visibility", LATE_THRESHOLD.name(),
            "late.ahead", LATE_FUTURE_TOLERANCE.name(),
            "collector.grace", MAINTENANCE_GRACE.name(),
            "collector.interval", MAINTENANCE_INTERVAL.name(),
            "catalog.edits", CATALOG_MANIFEST_INTERVAL_EDITS.name(),
            "balancer.pause", BALANCER_MIN_INTERVAL.name());

    /** Keys of older releases that have none in their place, and what to do. */
    static final Map<String, String> GONE = Map.of(
            "query.dispatch", "this key is gone, as chunks are given to query servers in one way; leave it away");

    /** In the order of the documentation. */
    public static final List<Key<?>> ALL = List.copyOf(KEYS);

    private Keys() {}

    private static Key<Integer> tasks(String name, int defaultValue) {
        return Key.integer(name, defaultValue).atLeast("1").atMost("10000");
    }

    private static <T> Key<T> add(Key<T> key) {
        if (KEYS.stream().anyMatch(other -> other.name().equals(key.name()))) {
            throw new IllegalStateException("key " + key.name() + " is declared twice");
        }
        KEYS.add(key);
        return key;
    }
}
