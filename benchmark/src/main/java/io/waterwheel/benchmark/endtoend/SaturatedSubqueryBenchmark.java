package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.Options;
import io.waterwheel.benchmark.data.TaxiTuples;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Query;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.topology.worker.WorkerServices;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * How long does an indexer take to answer while the worker drains a topic as fast as it can? Two subqueries, each to
 * one indexer: the count of 1 % of the keys in the last 5 s (of event time, before the position asked for shortly
 * before; what has come since counts too), and a point. Timed around {@code Endpoints.Indexer.ask} and the rows, in the
 * worker; then whole counts through a coordinator and Flight.
 *
 * <p>How many rows a count has to look at depends on how many trees wait to be flushed at that moment. To compare two
 * versions, compare answers that looked at about as many: they are printed apart, by the CPU time of their thread,
 * which other work on the machine changes least.
 *
 * <pre>
 * java -Xms2g -Xmx2g --add-opens=java.base/java.nio=ALL-UNNAMED \
 *     -Dlog4j2.configurationFile=waterwheel-benchmark-log4j2.properties \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.endtoend.SaturatedSubqueryBenchmark tuples=60_000_000
 * </pre>
 *
 * Options: those of {@link DrainBenchmark}, and pause-micros (between two queries), warm-up (share of the topic drained
 * before the first that counts, in percent).
 */
public final class SaturatedSubqueryBenchmark {
    private static final long LAST_MILLIS = 5_000;
    private static final long DEADLINE_NANOS = 10_000_000_000L;

    private final Options options;
    private final StreamDefinition stream;
    private final BenchmarkServer server;
    private final WorkerServices services;
    private final StreamInfo info;
    private final SplittableRandom random;
    private final long width;
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    private SaturatedSubqueryBenchmark(
            Options options,
            StreamDefinition stream,
            BenchmarkServer server,
            WorkerServices services,
            StreamInfo info) {
        this.options = options;
        this.stream = stream;
        this.server = server;
        this.services = services;
        this.info = info;
        this.random = new SplittableRandom(options.number("seed"));
        KeyInterval domain = KeyScheme.of(stream.schema()).domain();
        this.width = (domain.high() - domain.low()) / 100;
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments,
                "tuples",
                "60_000_000",
                "format",
                "block",
                "partitions",
                "4",
                "per-record",
                "1000",
                "seed",
                "1",
                "rate",
                "50_000",
                "pause-micros",
                "2000",
                "warm-up",
                "25",
                "overrides",
                "",
                "folder",
                "");
        Path folder = options.text("folder").isEmpty()
                ? Files.createTempDirectory("waterwheel-subquery")
                : Files.createDirectories(Path.of(options.text("folder")));
        int code = 1;
        try (BrokerProcess broker = BrokerProcess.start(folder.resolve("broker"))) {
            run(options, folder, broker);
            code = 0;
        } finally {
            DrainBenchmark.delete(folder);
            System.exit(code);
        }
    }

    private static void run(Options options, Path folder, BrokerProcess broker) throws Exception {
        StreamDefinition stream = TaxiTuples.stream(
                RecordFormat.valueOf(options.text("format").toUpperCase(Locale.ROOT)), options.integer("partitions"));
        long tuples = options.number("tuples");
        long[] records = TaxiTopic.fill(
                broker.bootstrap(),
                stream,
                tuples,
                options.integer("per-record"),
                options.number("seed"),
                options.integer("rate"));
        long all = Arrays.stream(records).sum();
        options.printMachine();
        try (BenchmarkServer server = BenchmarkServer.start(
                folder.resolve("server"), broker.bootstrap(), DrainBenchmark.overrides(options))) {
            server.create(stream);
            long warm = DrainBenchmark.awaitRecords(server, stream, all * options.integer("warm-up") / 100);
            WorkerServices services = MeteredServices.opened();
            if (services == null) {
                throw new IllegalStateException("the topology runs without the benchmark's services");
            }
            StreamInfo info = services.namespace().find(stream.name()).orElseThrow();
            SaturatedSubqueryBenchmark benchmark =
                    new SaturatedSubqueryBenchmark(options, stream, server, services, info);
            long begin = System.nanoTime();
            benchmark.measure(all, tuples / (double) all);
            long done = DrainBenchmark.awaitRecords(server, stream, all);
            System.out.printf(
                    Locale.ROOT,
                    "drained meanwhile at %.3f M tuples/s%n",
                    (done - warm) * (tuples / (double) all) / 1e6 / ((System.nanoTime() - begin) / 1e9));
        }
    }

    /** Asks until nearly all is drained; the kinds of questions take turns. */
    private void measure(long records, double tuplesPerRecord) throws Exception {
        Latencies one = new Latencies("1 % of keys x last 5 s, count, one indexer");
        Latencies point = new Latencies("a point, one indexer");
        Latencies flight = new Latencies("1 % of keys x last 5 s, count, by Flight");
        IndexerCheckpoint[] known = new IndexerCheckpoint[info.indexers()];
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), info);
        Endpoints endpoints = services.endpoints(info.id());
        long visible = 0;
        for (long round = 0; visible < records * 95 / 100; round++) {
            if (round % 10 == 0 || visible == 0) {
                for (int i = 0; i < known.length; i++) {
                    known[i] = catalog.checkpoint(i);
                }
                visible = DrainBenchmark.awaitRecords(server, stream, 0);
            }
            int indexer = (int) (round % known.length);
            long now =
                    TaxiTuples.START_MILLIS + (long) (visible * tuplesPerRecord / (options.integer("rate") / 1000.0));
            KeyInterval keys = keys(indexer);
            Query query = Query.of(stream.name())
                    .withKeys(List.of(keys))
                    .withTimes(new TimeInterval(now - LAST_MILLIS, Long.MAX_VALUE))
                    .withCount();
            if (round % 10 == 5) {
                timeFlight(flight, query);
            }
            known[indexer] = ask(endpoints, catalog, one, query, indexer, known[indexer]);
            Query at = Query.of(stream.name())
                    .withKeys(List.of(new KeyInterval(keys.low(), keys.low())))
                    .withTimes(new TimeInterval(now, now));
            known[indexer] = ask(endpoints, catalog, point, at, indexer, known[indexer]);
            Thread.sleep(options.integer("pause-micros") / 1000, options.integer("pause-micros") % 1000 * 1000);
        }
        one.print();
        one.printByTuples();
        point.print();
        flight.print();
    }

    private void timeFlight(Latencies latencies, Query query) throws Exception {
        long start = System.nanoTime();
        long found = server.count(query).count();
        latencies.add(System.nanoTime() - start, found, 0, 0);
    }

    /** An interval of 1 % of the key domain, in the indexer's part of it (the first routing table divides evenly). */
    private KeyInterval keys(int indexer) {
        KeyInterval domain = KeyScheme.of(stream.schema()).domain();
        long part = (domain.high() - domain.low()) / info.indexers();
        long low = domain.low() + part * indexer + random.nextLong(part - width);
        return new KeyInterval(low, low + width);
    }

    /** Asks one indexer; returns the checkpoint to ask with next, newer after a refresh. */
    private IndexerCheckpoint ask(
            Endpoints endpoints,
            StreamCatalog catalog,
            Latencies latencies,
            Query query,
            int indexer,
            IndexerCheckpoint checkpoint)
            throws IOException, InterruptedException {
        Subquery.OfIndexer subquery = new Subquery.OfIndexer(
                query, info.id(), indexer, checkpoint.epoch(), checkpoint.flushed(), new long[info.partitions()]);
        Looked looked = new Looked();
        long start = System.nanoTime();
        long cpu = threads.getCurrentThreadCpuTime();
        Endpoints.Indexer endpoint = endpoints.indexer(indexer);
        if (endpoint == null) {
            throw new IOException("indexer " + indexer + " is not hosted");
        }
        try (IndexerReply reply =
                endpoint.ask(subquery, ResolvedQuery.of(query, info), start + DEADLINE_NANOS, () -> false)) {
            if (reply.header().outcome() != IndexerHeader.Outcome.ANSWER) {
                latencies.refreshed++;
                return catalog.checkpoint(indexer);
            }
            long found = reply.rows(looked);
            latencies.add(System.nanoTime() - start, found, threads.getCurrentThreadCpuTime() - cpu, looked.tuples);
        }
        return checkpoint;
    }

    /** Takes all rows, and notes how many tuples the scans looked at. */
    private static final class Looked implements RowSink {
        private long tuples;

        @Override
        public boolean accept(TupleBlock rows) {
            return true;
        }

        @Override
        public void scanned(ScanStatistics what) {
            tuples += what.tuples();
        }
    }

    /** Times of one kind of question. */
    private static final class Latencies {
        private static final int FEW = 1024;

        private final String name;
        private long[] nanos = new long[1024];
        private long[] cpuNanos = new long[1024];
        private long[] tuples = new long[1024];
        private int count;
        private long found;
        private int refreshed;

        Latencies(String name) {
            this.name = name;
        }

        /**
         * Notes an answer.
         *
         * @param cpu time of its thread, in nanoseconds
         * @param looked tuples that were looked at
         */
        void add(long time, long rows, long cpu, long looked) {
            if (count == nanos.length) {
                nanos = Arrays.copyOf(nanos, count * 2);
                cpuNanos = Arrays.copyOf(cpuNanos, count * 2);
                tuples = Arrays.copyOf(tuples, count * 2);
            }
            cpuNanos[count] = cpu;
            tuples[count] = looked;
            nanos[count++] = time;
            found += rows;
        }

        void print() {
            long[] sorted = Arrays.copyOf(nanos, count);
            Arrays.sort(sorted);
            System.out.printf(
                    Locale.ROOT,
                    "%-44s n %6d  p50 %8.3f ms  p90 %8.3f ms  p99 %8.3f ms  max %8.3f ms  found %.0f  refreshed %d%n",
                    name,
                    count,
                    at(sorted, 0.50),
                    at(sorted, 0.90),
                    at(sorted, 0.99),
                    at(sorted, 1),
                    found / (double) Math.max(1, count),
                    refreshed);
        }

        /** Prints the medians of answers that looked at none, at 1 to 1,023, at 1,024 to 2,047 tuples, and so on. */
        void printByTuples() {
            Map<Long, List<Long>> byTuples = new TreeMap<>();
            for (int i = 0; i < count; i++) {
                long least = tuples[i] < FEW ? Math.min(tuples[i], 1) : Long.highestOneBit(tuples[i]);
                byTuples.computeIfAbsent(least, unused -> new ArrayList<>()).add(cpuNanos[i]);
            }
            byTuples.forEach((least, cpu) -> System.out.printf(
                    Locale.ROOT,
                    "  from %,d tuples looked at: n %d  CPU p50 %.1f us%n",
                    least,
                    cpu.size(),
                    at(cpu.stream().mapToLong(Long::longValue).sorted().toArray(), 0.50) * 1000));
        }

        private static double at(long[] sorted, double share) {
            if (sorted.length == 0) {
                return Double.NaN;
            }
            return sorted[Math.min(sorted.length - 1, (int) (share * sorted.length))] / 1e6;
        }
    }
}
