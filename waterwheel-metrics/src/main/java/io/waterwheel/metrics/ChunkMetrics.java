package io.waterwheel.metrics;

/** Of trees in memory, their flushes, and the chunk store. */
public final class ChunkMetrics {
    static final Room ROOM = new Room(
            "Trees and chunks", "Workers with indexers have these, and what is said of the store every worker.");

    public static final Metric MEMORY = ROOM.gauge(
            "waterwheel_indexer_memory_bytes",
            "Memory of an indexer task's trees: active, being written, and kept for queries.",
            "Above 90 % of its bound for a minute: chunks are not written as fast as rows arrive.",
            "task");
    public static final Metric MEMORY_LIMIT = ROOM.gauge(
            "waterwheel_indexer_memory_limit_bytes",
            "The bound of the above, `indexer.memory-pool` less what pages need that are not full.",
            "A constant, to divide by.",
            "task");
    public static final Metric TREE_BYTES = ROOM.gauge(
            "waterwheel_tree_bytes",
            "Tuples in the active trees of a stream's indexers in this worker.",
            "A saw: it falls at each seal.",
            Metric.STREAM);
    public static final Metric TREE_LIMIT = ROOM.gauge(
            "waterwheel_tree_limit_bytes",
            "Where these trees are sealed: `indexer.seal-size` for each of the indexers.",
            "A constant, to divide by.",
            Metric.STREAM);
    public static final Metric UNFLUSHED_TUPLES = ROOM.gauge(
            "waterwheel_unflushed_tuples",
            "Tuples of a stream in this worker that are not in chunks.",
            "After a crash at most these are read again.",
            Metric.STREAM);
    public static final Metric SEALED_TREES = ROOM.gauge(
            "waterwheel_sealed_trees",
            "Trees that are sealed and not in chunks yet.",
            "Several for minutes: the chunk store is slow or away; `status` says which.",
            Metric.STREAM);
    public static final Metric RECOVERING = ROOM.gauge(
            "waterwheel_recovering_indexers",
            "Indexers of a stream in this worker that read again what they had before a crash.",
            "Above 0 for minutes: much was not in chunks, or the way in is slow.",
            Metric.STREAM);
    public static final Metric REBUILDS = ROOM.counter(
            "waterwheel_template_rebuilds_total",
            "Rebuilds of a tree's template, because its leaves had grown uneven.",
            "Several a minute: the keys change all the time.",
            Metric.STREAM);
    public static final Metric REBUILD_PAUSE = ROOM.histogram(
            "waterwheel_template_rebuild_pause_seconds",
            Metric.Scale.SHORT,
            "The longest time for which a rebuild held up one insertion.",
            "It adds to what tuples take to be visible.");
    public static final Metric FLUSH = ROOM.histogram(
            "waterwheel_flush_seconds",
            Metric.Scale.CALL,
            "Time from a tree's turn to be flushed until its chunks were committed, failed tries included; by why it was"
                    + " sealed.",
            "Look at its steps below, and at the chunk store. Mostly `memory`: the pool is too small for the number of"
                    + " indexers.",
            "reason");
    public static final Metric FLUSH_STEP = ROOM.histogram(
            "waterwheel_flush_step_seconds",
            Metric.Scale.CALL,
            "Steps of a flush: write (sort, encode, compress, store), commit (one transaction of the catalog).",
            "Write: processors, or the chunk store; commit: ZooKeeper.",
            "step");
    public static final Metric FLUSHED_TUPLES = ROOM.counter(
            "waterwheel_flushed_tuples_total",
            "Tuples that came into committed chunks.",
            "Its rate is that of the tuples inserted, in the mean of some minutes.",
            Metric.STREAM);
    public static final Metric FLUSH_FAILURES = ROOM.counter(
            "waterwheel_flush_failures_total",
            "Tries of a flush that failed and are made again.",
            "Above 0: `status` and the log file say why; rows are taken until the memory is used up.",
            Metric.STREAM);
    public static final Metric MERGED_CHUNKS = ROOM.counter(
            "waterwheel_merged_chunks_total",
            "Small chunks of a stream that were replaced by larger ones.",
            "Some more a day than are flushed small: chunks of merges are merged again.",
            Metric.STREAM);
    public static final Metric MERGED_TUPLES = ROOM.counter(
            "waterwheel_merged_tuples_total",
            "Tuples of a stream that merges wrote again.",
            "More than a few times the flushed tuples: `maintenance.merge-size` is far above what a flush writes.",
            Metric.STREAM);
    public static final Metric STORE = ROOM.histogram(
            "waterwheel_store_seconds",
            Metric.Scale.CALL,
            "Calls of the chunk store that succeeded: write (a whole file, synced), open, read (one or several ranges of a"
                    + " file).",
            "The disk, or HDFS.",
            "operation");
    public static final Metric STORE_BYTES = ROOM.counter(
            "waterwheel_store_bytes_total",
            "Bytes that these calls have written and read.",
            "The load of the chunk store.",
            "operation");
    public static final Metric STORE_FAILURES = ROOM.counter(
            "waterwheel_store_failures_total",
            "Calls of the chunk store that failed.",
            "The store is away, full, or files are missing; the log file says which.",
            "operation");
    public static final Metric CHUNKS = ROOM.gauge(
            "waterwheel_chunks",
            "Chunks of a stream. The first coordinator has it.",
            "See docs/scaling.md for how many are well.",
            Metric.STREAM);
    public static final Metric EXPIRED_CHUNKS = ROOM.counter(
            "waterwheel_expired_chunks_total",
            "Chunks that were older than their stream's retention. The first coordinator has it, and those that follow.",
            "None for long, though the stream has a retention: see `status`.",
            Metric.STREAM);
    public static final Metric COLLECTED_FILES = ROOM.counter(
            "waterwheel_collected_files_total",
            "Files without an owner that were removed from the chunk store.",
            "What expiry, crashes and dropped streams have left.");
    public static final Metric COLLECTED_BYTES =
            ROOM.counter("waterwheel_collected_bytes_total", "Bytes of these files.", "As for the files.");
    public static final Metric WAITING_FILES = ROOM.gauge(
            "waterwheel_collectable_files",
            "Files without an owner that wait for the grace time, as the last look at the store found.",
            "It grows for days: the collector does not run; see `status`.");
    public static final Metric MANIFESTS = ROOM.counter(
            "waterwheel_manifests_total",
            "Manifest files that edits of the catalog were rolled up into.",
            "None while chunks are written: edits stay in ZooKeeper; `status` says why.");

    private ChunkMetrics() {}
}
