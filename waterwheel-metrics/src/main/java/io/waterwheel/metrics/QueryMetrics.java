package io.waterwheel.metrics;

/** Of queries, in coordinators and in those they ask. */
public final class QueryMetrics {
    static final Room ROOM =
            new Room("Queries", "Workers with coordinators have these; memory and cache are told by every worker.");

    public static final Metric QUERIES = ROOM.histogram(
            "waterwheel_query_seconds",
            Metric.Scale.CALL,
            "Time from a query's coming until its answer had ended, waiting for its turn and its client included; by"
                    + " outcome: complete, partial, failed, or cancelled by its client. The queries that answer a"
                    + " statement of SQL are among them. Those of tails, which ask for no rows but how far queries"
                    + " see, are probe, however they end.",
            "The slow query log has the single ones, `--explain` and `--analyze` say why.",
            "outcome");
    public static final Metric FAILURES = ROOM.counter(
            "waterwheel_query_failures_total",
            "Queries that failed or were refused, by error code.",
            "What to do stands in docs/errors.md, by code. `SERVER_BUSY`: too many are open.",
            "code");
    public static final Metric STATEMENTS = ROOM.histogram(
            "waterwheel_statement_seconds",
            Metric.Scale.CALL,
            "Time from a statement's coming until its answer had ended; by what answers it: query (one query), executor"
                    + " (several, and DuckDB), catalog (no rows of a stream), change (it changed something; the query of an INSERT counts"
                    + " beside it), unknown (it failed before it was planned); and by outcome, as for queries.",
            "`EXPLAIN` says how a statement is answered; docs/sql.md which are one query.",
            "kind",
            "outcome");
    public static final Metric STATEMENT_FAILURES = ROOM.counter(
            "waterwheel_statement_failures_total",
            "Statements that failed or were refused, by error code.",
            "What to do stands in docs/errors.md, by code.",
            "code");
    public static final Metric EXECUTOR_STATEMENTS = ROOM.gauge(
            "waterwheel_sql_executor_statements",
            "Statements that DuckDB answers, or that wait for it, by state: running, waiting.",
            "Waiting: `sql.at-once` is low for what is asked, or statements read very much.",
            "state");
    public static final Metric EXECUTOR_LIMIT = ROOM.gauge(
            "waterwheel_sql_executor_statements_limit",
            "The bound of the running, `sql.at-once`.",
            "A constant, to divide by.");
    public static final Metric EXECUTOR_STARTS = ROOM.counter(
            "waterwheel_sql_executor_starts_total",
            "Starts of DuckDB's process.",
            "One for each time of use is normal. Each further one is a crash, or an end by the operating system:"
                    + " the log says which.");
    public static final Metric EXECUTOR_BYTES = ROOM.gauge(
            "waterwheel_sql_executor_resident_bytes",
            "Memory that DuckDB's process takes, as Linux tells; 0 while there is none.",
            "DuckDB itself takes up to `sql.memory` of it.");
    public static final Metric ROWS = ROOM.counter(
            "waterwheel_query_rows_total", "Rows of answers that were handed to clients.", "The size of answers.");
    public static final Metric BYTES = ROOM.counter(
            "waterwheel_query_answer_bytes_total",
            "Bytes of these rows in memory; by Arrow they take about as much.",
            "As above.");
    public static final Metric CHUNKS = ROOM.counter(
            "waterwheel_query_chunks_total",
            "Chunks of the streams that were asked, by what became of them: outside (of the keys, dimensions or times"
                    + " that are asked for), read, left (they turned out not to be needed). Probes count neither here"
                    + " nor below.",
            "Most are read, and few outside: queries ask for much, or the keys do not fit what is asked.",
            "outcome");
    public static final Metric LEAVES = ROOM.counter(
            "waterwheel_query_leaves_total",
            "Leaves of what was scanned, by place (chunks, or memory: the trees of indexers) and outcome: pruned, counted"
                    + " (without being read), read, left (a limit was reached before).",
            "The sums of what `--analyze` says of each query. Read ones take time.",
            "place",
            "outcome");
    public static final Metric PRUNED = ROOM.counter(
            "waterwheel_query_pruned_leaves_total",
            "The pruned ones of these leaves, by place and by the first reason that applied: docs/queries.md has the reasons.",
            "What saves work, and what does not.",
            "place",
            "reason");
    public static final Metric TUPLES = ROOM.counter(
            "waterwheel_query_read_tuples_total",
            "Tuples in the leaves that were read, by place.",
            "Many for each row of an answer: conditions that prune nothing. An `indexed` field, or a key of dimensions, helps.",
            "place");
    public static final Metric READ_BYTES = ROOM.counter(
            "waterwheel_query_read_bytes_total",
            "Bytes that chunks were read by, as they are stored, by source: store (columns, directories, and what was read"
                    + " along with them), cache (columns).",
            "From the store, while the same is asked again and again: `query-server.cache-size` is too small.",
            "source");
    public static final Metric OPEN = ROOM.gauge(
            "waterwheel_queries_open",
            "Queries that are open, by what they are at: planning, waiting (for their turn), running, asking (for an"
                    + " indexer that lags), sending (to a client that takes its time).",
            "Waiting: too little CPU, or `query.heavy-at-once` is low. Asking: the way in lags, or is away.",
            "stage");
    public static final Metric OPEN_LIMIT = ROOM.gauge(
            "waterwheel_queries_open_limit",
            "The bound of all of the above together, `query.open`.",
            "A constant, to divide by.");
    public static final Metric MEMORY = ROOM.gauge(
            "waterwheel_query_memory_bytes",
            "What queries have reserved in this worker.",
            "Near its bound: queries with much to hold fail with `QUERY_MEMORY`.");
    public static final Metric MEMORY_LIMIT = ROOM.gauge(
            "waterwheel_query_memory_limit_bytes",
            "The bound of the above, `query.memory`.",
            "A constant, to divide by.");
    public static final Metric SPILLED = ROOM.gauge(
            "waterwheel_query_spill_bytes",
            "What queries hold on disk in this worker, of groups that do not fit into memory.",
            "Often above 0: queries group by much; `query.memory` is low for them. At most `query.spill`.");
    public static final Metric SUBQUERIES = ROOM.histogram(
            "waterwheel_subquery_seconds",
            Metric.Scale.CALL,
            "Time from a coordinator's question to the end of the answer, by kind: fresh (to an indexer), chunk (to a query"
                    + " server); and by the task that was asked, of which the first 64 have series of their own.",
            "One task far above others: its disk, its load, or the network to it.",
            "kind",
            "task");
    public static final Metric SUBQUERY_FAILURES = ROOM.counter(
            "waterwheel_subquery_failures_total",
            "Subqueries that failed; another worker is asked instead, where there is one.",
            "Some while workers start or end. Else the log of the worker that was asked.",
            "kind",
            "task");
    public static final Metric CACHE_HITS = ROOM.counter(
            "waterwheel_chunk_cache_hits_total",
            "Look-ups of the cache of chunks that found what they looked for.",
            "Hits and misses together are the look-ups.");
    public static final Metric CACHE_MISSES = ROOM.counter(
            "waterwheel_chunk_cache_misses_total",
            "Look-ups of the cache of chunks that did not.",
            "Most, while the same is asked again and again: `query-server.cache-size` is too small.");
    public static final Metric CACHE_BYTES = ROOM.gauge(
            "waterwheel_chunk_cache_bytes", "What the cache of chunks holds.", "It fills up and stays full.");
    public static final Metric CACHE_LIMIT = ROOM.gauge(
            "waterwheel_chunk_cache_limit_bytes",
            "The bound of the above, `query-server.cache-size`.",
            "A constant, to divide by.");
    public static final Metric ANSWER_MEMORY = ROOM.gauge(
            "waterwheel_answer_memory_bytes",
            "Memory off the heap of answers to clients: batches that are filled or sent; of a coordinator at most 256 MiB.",
            "Near the bound: many slow clients. `queries list` says whose answers are `sending`.");
    public static final Metric ARROW_BYTES = ROOM.gauge(
            "waterwheel_arrow_bytes",
            "Memory off the heap of messages between workers that are under way.",
            "Near its bound: subqueries wait, or fail.");
    public static final Metric ARROW_LIMIT =
            ROOM.gauge("waterwheel_arrow_limit_bytes", "The bound of the above.", "A constant, to divide by.");

    private QueryMetrics() {}
}
