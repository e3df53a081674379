package io.waterwheel.metrics;

/** Of records on their way from Kafka into trees: spouts, dispatchers, and the queues between tasks. */
public final class WayInMetrics {
    static final Room ROOM = new Room("The way in", "Workers with spouts, dispatchers and indexers have these.");

    public static final Metric DELAY = ROOM.histogram(
            "waterwheel_ingest_delay_seconds",
            Metric.Scale.DELAY,
            "Time from what Kafka has as the time of a batch's first record until a stage was done with the batch: read"
                    + " (the spout has it), routed (it goes to its indexers), visible (queries see it); records that are"
                    + " read again after a crash are not counted as visible.",
            "The first stage that is high is the slow one: read: the spout waits for dispatchers, or Kafka is slow;"
                    + " routed: dispatchers; visible: indexers. Clocks of producers and workers must agree.",
            Metric.STREAM,
            "stage");
    public static final Metric READ_RECORDS = ROOM.counter(
            "waterwheel_read_records_total",
            "Records that spouts have read.",
            "The rate of a stream as it comes; after a crash records are read, and counted, again.",
            Metric.STREAM);
    public static final Metric READ_BYTES = ROOM.counter(
            "waterwheel_read_bytes_total",
            "Bytes of these records, with 64 for each beside its value.",
            "As for the records.",
            Metric.STREAM);
    public static final Metric INSERTED = ROOM.counter(
            "waterwheel_inserted_tuples_total",
            "Tuples that indexers have taken into trees.",
            "Far below the records that are read: records are refused, or the way in stands still.",
            Metric.STREAM);
    public static final Metric REFUSED = ROOM.counter(
            "waterwheel_refused_rows_total",
            "Rows that are no tuples, by what was refused: a whole record, or a row of a block; and why: form (no record"
                    + " of the format), fields (too few, too many, or one twice), value (of another type, or null), text"
                    + " (its encoding), key (none can be made), size. One that is read again counts again.",
            "`./waterwheel dead-letters STREAM` shows them with the reason.",
            Metric.STREAM,
            "part",
            "reason");
    public static final Metric DEAD_LETTERS = ROOM.counter(
            "waterwheel_dead_letters_total",
            "Refused rows that were to be stored in the topic of dead letters: stored, or failed (it is tried again).",
            "Failed: the partition stands still until its letters are stored; see *Rights in Kafka* in operations.md.",
            Metric.STREAM,
            "outcome");
    public static final Metric DELETED_RECORDS = ROOM.counter(
            "waterwheel_deleted_records_total",
            "Records that were deleted from the topic that was made for the stream, since their rows are in chunks. The"
                    + " first coordinator has it.",
            "None for long, though rows come and `kafka.delete-indexed` is on: a stream of the topic stands still, or"
                    + " says indexed-records: keep; the log has the reason.",
            Metric.STREAM);
    public static final Metric STEP = ROOM.histogram(
            "waterwheel_step_seconds",
            Metric.Scale.SHORT,
            "Work of a task on one batch of data: route (a dispatcher decodes and divides it), insert (an indexer takes a"
                    + " block).",
            "Times its rate this is the part of a core that the task uses; near 1 the task is the bottleneck: more tasks,"
                    + " or more indexers for the stream.",
            "step");
    public static final Metric QUEUE = ROOM.gauge(
            "waterwheel_queue_events",
            "Batches of data that wait for a task.",
            "Near its bound for long: the task is too slow, and those before it wait.",
            "task");
    public static final Metric QUEUE_LIMIT =
            ROOM.gauge("waterwheel_queue_limit_events", "The bound of the above.", "A constant, to divide by.", "task");
    public static final Metric CONTROL = ROOM.gauge(
            "waterwheel_control_queue_events",
            "Control messages that wait for a task.",
            "Thousands: the task does not keep up with what others tell it; look at its step above.",
            "task");
    public static final Metric CONTROL_LIMIT = ROOM.gauge(
            "waterwheel_control_queue_limit_events",
            "The bound of the above; further ones are dropped and come again.",
            "A constant, to divide by.",
            "task");
    public static final Metric QUEUE_FULL = ROOM.counter(
            "waterwheel_queue_full_seconds_total",
            "Time for which those who hand data to a task have waited for room in its queue.",
            "As for the queue.",
            "task");
    public static final Metric SPOUT_BYTES = ROOM.gauge(
            "waterwheel_spout_bytes",
            "Records that a spout has read and that have not come to a dispatcher.",
            "At its bound: dispatchers are the slow part.",
            "task");
    public static final Metric SPOUT_LIMIT = ROOM.gauge(
            "waterwheel_spout_limit_bytes",
            "The bound of the above, `spout.read-ahead`.",
            "A constant, to divide by.",
            "task");
    public static final Metric DISPATCHER_BYTES = ROOM.gauge(
            "waterwheel_dispatcher_bytes",
            "What a dispatcher holds: pending (records not routed yet), ring (routed tuples, for channels that follow),"
                    + " again (read again, for channels that lag).",
            "Pending at its bound: an indexer gives no credit, or a partition stands still.",
            "task",
            "part");
    public static final Metric DISPATCHER_LIMIT = ROOM.gauge(
            "waterwheel_dispatcher_limit_bytes",
            "The bounds of the above, of all partitions of the task together.",
            "Constants, to divide by.",
            "task",
            "part");
    public static final Metric CREDIT_WAIT = ROOM.counter(
            "waterwheel_credit_wait_seconds_total",
            "Time for which channels from a dispatcher to an indexer had something to send and no credit; channels that"
                    + " wait at once add up. Sampled each 25 ms.",
            "The rate is the number of channels that wait: indexers are the slow part, or their memory is used up.",
            Metric.STREAM);
    public static final Metric LAG = ROOM.gauge(
            "waterwheel_lag_records",
            "Records at the log's end that queries do not see yet. The first coordinator has it. Of a stream, partitions"
                    + " beyond the 64th are summed up as `other`.",
            "It grows for minutes: too little CPU, a slow chunk store, or a partition that stands still.",
            Metric.STREAM,
            "partition");
    public static final Metric STANDING = ROOM.gauge(
            "waterwheel_standing_partitions",
            "Partitions that stand still, with a reason that `status` tells. The first coordinator has it.",
            "Above 0: `./waterwheel status` says why, and what to do.",
            Metric.STREAM);

    private WayInMetrics() {}
}
