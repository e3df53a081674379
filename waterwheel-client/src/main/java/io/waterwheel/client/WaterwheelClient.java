package io.waterwheel.client;

import io.waterwheel.client.admin.AskedQuestions;
import io.waterwheel.client.admin.ChunkRegions;
import io.waterwheel.client.admin.ChunkVerification;
import io.waterwheel.client.admin.DeadLetter;
import io.waterwheel.client.admin.KeyRanges;
import io.waterwheel.client.admin.MetricsPlace;
import io.waterwheel.client.admin.OpenQuery;
import io.waterwheel.client.admin.Rescaling;
import io.waterwheel.client.admin.ServerStatus;
import io.waterwheel.client.admin.SourceOffsets;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.admin.StreamRetention;
import io.waterwheel.client.admin.TopicSample;
import io.waterwheel.client.admin.Verification;
import io.waterwheel.client.kafka.DeadLetterReader;
import io.waterwheel.client.kafka.TopicReader;
import io.waterwheel.client.kafka.TopicSampler;
import io.waterwheel.client.tail.Tail;
import io.waterwheel.client.tail.TailSettings;
import io.waterwheel.decode.registry.RegistryAccess;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Query;
import io.waterwheel.query.SqlParameters;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Balancing;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy.IndexedRecords;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.TraceParent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Asks a Waterwheel server. One client is one session: a query sees at least what the answer to any earlier query on
 * the same stream saw or showed, whichever coordinators gave them. Statements of SQL are not in the session; one that
 * is to see as much demands {@link Verdict#shown} of the earlier answer ({@link Statement#withAtLeast}). Thread-safe;
 * one client serves a whole process. All that a server is asked for has its method here, so that a program finds it in
 * one place; how it is asked stands in classes of its own.
 *
 * <pre>{@code
 * try (WaterwheelClient client = WaterwheelClient.connect("grpc://127.0.0.1:7070");
 *         Cursor rows = client.query("flights").within(new Box(2, 48, 3, 49)).rows()) {
 *     while (rows.next()) {
 *         System.out.println(rows.getInstant("time_ms") + " " + rows.getDouble("longitude"));
 *     }
 * }
 * }</pre>
 *
 * <p>Every failure is a {@link WaterwheelException} whose kind says whom to blame and whether to try again. A query is
 * asked of another coordinator when one does not answer, or is lost before its first row; after that the rows so far
 * are not a whole answer, and the failure says so. Needs the JVM option
 * {@code --add-opens=java.base/java.nio=ALL-UNNAMED}, as all of Apache Arrow does; the manifest of a jar that is
 * started by {@code java -jar} may have {@code Add-Opens: java.base/java.nio} in its place.
 */
public final class WaterwheelClient implements AutoCloseable {
    /** Bytes that the answers of all open cursors together may hold in memory; a batch is about a megabyte. */
    private static final long MEMORY_BYTES = 512L << 20;

    private static final Duration SAMPLE_PATIENCE = Duration.ofSeconds(30);
    private static final Duration DEFAULT_FLUSH_TIMEOUT = Duration.ofSeconds(30);
    /** Between two questions of a tail. */
    private static final Duration TAIL_PACE = Duration.ofMillis(20);

    private final Coordinators coordinators;
    /** Null where the environment says it. */
    private volatile @Nullable RegistryAccess registryAccess;

    private final Administration administration;
    private final OpenAnswers answers;
    private final Session session = new Session();
    private final Questions questions;

    private WaterwheelClient(BufferAllocator allocator, Coordinators coordinators) {
        this.coordinators = coordinators;
        this.administration = new Administration(new AdminRequests(coordinators));
        this.answers = new OpenAnswers(() -> {
            coordinators.close();
            allocator.close();
        });
        this.questions = new Questions(coordinators, answers, session);
    }

    /**
     * A client of these coordinators of one server; any of them answers anything. Connects when first used. When one
     * does not answer, the next is tried.
     *
     * @param urls one or more {@code grpc://HOST:PORT} or {@code HOST:PORT}
     * @throws IllegalArgumentException when one of them is none, or there are none
     */
    public static WaterwheelClient connect(String... urls) {
        if (urls.length == 0) {
            throw new IllegalArgumentException("no server: expected at least one grpc://HOST:PORT");
        }
        for (String url : urls) {
            Connection.parse(url);
        }
        return open(Addresses.fixed(List.of(urls)));
    }

    /**
     * Finds the coordinators of a namespace where they announce themselves: in ZooKeeper. Connects when it is first
     * used. Coordinators may come, go and move: when none that it knows takes a call, it looks where they are now, for
     * as long as the call may take (before it has met any, five seconds). Needs ZooKeeper's client on the class path.
     *
     * @param zooKeeper {@code zk1:2181,zk2:2181,zk3:2181/waterwheel}: {@code HOST:PORT}, several with commas between,
     *     then {@code zookeeper.root} of the configuration unless it is {@code /waterwheel}
     * @param namespace as {@code namespace} of the configuration names it
     * @throws IllegalArgumentException when one of them is none
     */
    public static WaterwheelClient discover(String zooKeeper, String namespace) {
        Libraries.requireZooKeeper();
        return open(new ZooKeeperAddresses(zooKeeper, namespace));
    }

    private static WaterwheelClient open(Addresses addresses) {
        if (!ByteBuffer.class.getModule().isOpen("java.nio", WaterwheelClient.class.getModule())) {
            throw new WaterwheelException(
                    ErrorCode.JVM_OPTION_MISSING,
                    "Apache Arrow, which carries the answers, must reach into java.nio, and this JVM does not let it: start"
                            + " java with --add-opens=java.base/java.nio=ALL-UNNAMED");
        }
        BufferAllocator allocator = new RootAllocator(MEMORY_BYTES);
        return new WaterwheelClient(allocator, new Coordinators(addresses, url -> new Connection(allocator, url)));
    }

    /**
     * Begins to connect, and does not wait for it: a program that asks soon, and has something else to do before, saves
     * that time. What fails is told to who asks.
     */
    public void reach() {
        coordinators.reach();
    }

    /**
     * Loads what reading rows takes; needs no server. A program that asks once waits for little else: it can have this
     * done on another thread, before it asks.
     */
    public static void prepare() {
        // The first makes what maps schemas to JSON, which inspects their classes.
        var unused = new Schema(List.of());
    }

    /** How it asks. */
    Questions questions() {
        return questions;
    }

    /** Begins a question to a stream. */
    public StreamQuery query(String stream) {
        return new StreamQuery(this, stream);
    }

    /**
     * Asks a query that was made elsewhere. Returns when the answer begins; the cursor must be closed.
     *
     * @throws WaterwheelException when it is refused, or no coordinator answers
     */
    public Cursor query(Query query) {
        return questions.query(query, null, new Cancellation());
    }

    /**
     * Asks a statement of SQL (docs/sql.md), such as {@code SELECT callsign, COUNT(*) FROM flights GROUP BY callsign}.
     * Returns when the answer begins; the cursor must be closed. Its verdict counts rows, also those of aggregates.
     * What the client has seen of streams by queries is not demanded of statements: name positions by
     * {@link #sql(Statement)}.
     *
     * @throws WaterwheelException when it is refused, or no coordinator answers
     */
    public Cursor sql(String statement) {
        return sql(Statement.of(statement));
    }

    /**
     * The same with a value for each question mark of the text, in their order; it means what a literal in its place
     * means.
     *
     * @param parameters numbers, texts, booleans, bytes, {@link java.time.Instant}s and nulls
     * @throws IllegalArgumentException when a value is none of these
     */
    public Cursor sql(String statement, @Nullable Object... parameters) {
        return sql(Statement.of(statement).withParameters(SqlParameters.of(parameters)));
    }

    /** The same with a timeout, demands, and what is allowed. */
    public Cursor sql(Statement statement) {
        return questions.sql(statement, null, new Cancellation());
    }

    /**
     * Asks, and reads the answer, on a thread of the executor, as {@link StreamQuery#read} does.
     *
     * @return to cancel it is to cancel the answer, wherever it is; any other way of completing it too
     */
    public <T> CompletableFuture<T> read(Query query, Executor executor, Function<Cursor, T> reader) {
        return read(query, null, executor, reader);
    }

    /** The same for a statement of SQL. */
    public <T> CompletableFuture<T> read(Statement statement, Executor executor, Function<Cursor, T> reader) {
        return read(statement, null, executor, reader);
    }

    /**
     * The same as a part of a trace, which the server logs where the query is slow.
     *
     * @param trace of the caller, whose span is the parent; null: none
     */
    public <T> CompletableFuture<T> read(
            Query query, @Nullable TraceParent trace, Executor executor, Function<Cursor, T> reader) {
        return Questions.read(cancellation -> questions.query(query, trace, cancellation), executor, reader);
    }

    /** The same for a statement of SQL. */
    public <T> CompletableFuture<T> read(
            Statement statement, @Nullable TraceParent trace, Executor executor, Function<Cursor, T> reader) {
        return Questions.read(cancellation -> questions.sql(statement, trace, cancellation), executor, reader);
    }

    /**
     * The number of tuples that the query matches, whatever its limit.
     *
     * @throws IllegalArgumentException when the query allows a partial answer: a number cannot say that it is too
     *     small; ask {@code query(q.withCount())} and look at its verdict. Also when it is to be planned only
     * @throws WaterwheelException as {@link #query(Query)}
     */
    public long count(Query query) {
        if (query.allowPartial()) {
            throw new IllegalArgumentException("count: the query allows a partial answer, which a number cannot mark;"
                    + " ask query(q.withCount()) and read its verdict");
        }
        if (query.explain() == Explain.PLAN) {
            throw new IllegalArgumentException("count: the query is to be planned only, which counts nothing;"
                    + " leave the explanation away, or ask query(q) and read its verdict's");
        }
        return questions.whole(query.withCount(), cursor -> cursor.finish().tuples());
    }

    /** Creates a stream, and its topic when there is none. */
    public StreamDetails createStream(StreamDefinition definition) {
        StreamDetails created = administration.createStream(definition);
        session.created(definition.name(), created.id());
        return created;
    }

    /** All streams that the coordinator can read, by name, without the sums of their chunks. */
    public List<StreamDetails> listStreams() {
        return listStreams(name -> {});
    }

    /**
     * {@link #listStreams()}, and what is there beside them.
     *
     * @param unreadable told the name of each stream whose entry in the catalog is damaged, or of a newer release
     */
    public List<StreamDetails> listStreams(Consumer<String> unreadable) {
        return administration.listStreams(unreadable);
    }

    /** Kafka's bootstrap servers, as the server was given them: those of its streams' topics. */
    public String kafka() {
        return administration.kafka();
    }

    /**
     * Some records of a topic, to see what they are. Needs Kafka's clients on the class path.
     *
     * @param most records in all; of each partition at least two
     */
    public TopicSample sample(String topic, int most) {
        return sample(topic, most, SAMPLE_PATIENCE);
    }

    /**
     * The same within some time.
     *
     * @param patience how long it waits for each answer of Kafka
     */
    public TopicSample sample(String topic, int most, Duration patience) {
        Libraries.requireKafka("to look at a topic");
        return TopicSampler.read(kafka(), topic, most, patience);
    }

    /** One stream. */
    public StreamDetails describe(String stream) {
        return administration.describe(stream);
    }

    /** Forgets a stream and its chunks; the topic and its records stay. */
    public void drop(String stream) {
        administration.drop(stream);
        session.dropped(stream);
    }

    /** {@link #flush(String, Duration)} within 30 seconds. */
    public Map<Integer, Long> flush(String stream) {
        return flush(stream, DEFAULT_FLUSH_TIMEOUT);
    }

    /**
     * Writes the stream's fresh tuples into chunks and waits until all that was in the log at the call is there.
     *
     * @return by partition the offset below which everything is in chunks
     * @throws WaterwheelException of kind TEMPORARY when it takes longer; flushing goes on then
     */
    public Map<Integer, Long> flush(String stream, Duration timeout) {
        return flush(stream, timeout, Map.of());
    }

    /**
     * The same up to given positions, whatever more the log holds.
     *
     * @param upTo by partition, the position below which everything is to be in chunks; partitions that are not named
     *     are not waited for. Empty: up to the end of the log
     */
    public Map<Integer, Long> flush(String stream, Duration timeout, Map<Integer, Long> upTo) {
        return administration.flush(stream, timeout, upTo);
    }

    /**
     * Changes how a stream is run.
     *
     * @param badRecords null: as it is
     * @param logLoss null: as it is
     * @param balancing null: as it is
     */
    public StreamDetails alter(
            String stream, @Nullable BadRecords badRecords, @Nullable LogLoss logLoss, @Nullable Balancing balancing) {
        return administration.alter(stream, badRecords, logLoss, balancing);
    }

    /** Says what becomes of the topic's records whose rows are in chunks, where the topic was made for the stream. */
    public StreamDetails setIndexedRecords(String stream, IndexedRecords policy) {
        return administration.setIndexedRecords(stream, policy);
    }

    /**
     * Divides the keys of a stream anew, evenly, between a number of indexers. Nothing is lost or stands still: what is
     * already on its way goes where it went, and what follows, from about a second later on, goes by the new division.
     *
     * @param count 1 to 1000; more than indexer.tasks of the configuration have work for
     */
    public StreamDetails setIndexers(String stream, int count) {
        return administration.setIndexers(stream, count);
    }

    /** How the keys of a stream are divided between its indexers. */
    public KeyRanges keyRanges(String stream) {
        return administration.keyRanges(stream);
    }

    /**
     * Divides the keys of a stream by hand, from about a second on, and ends their balancing.
     *
     * @param boundaries first key of each indexer but the first, as in a key range, ascending; one fewer than indexers
     */
    public KeyRanges setKeyRanges(String stream, List<String> boundaries) {
        return administration.setKeyRanges(stream, boundaries);
    }

    /**
     * Changes how long the tuples of a stream are kept. What is older goes at the next looks of the first coordinator,
     * {@code maintenance.interval} apart, for good: a longer retention later on does not bring it back.
     *
     * @return what goes by it
     */
    public StreamRetention setRetention(String stream, Retention retention) {
        return administration.setRetention(stream, retention);
    }

    /** How long the tuples of a stream are kept, what has gone, and what will at the next look. */
    public StreamRetention retention(String stream) {
        return administration.retention(stream);
    }

    /** The same, with what would go at the next look if the retention were another. Changes nothing. */
    public StreamRetention retention(String stream, Retention other) {
        return administration.retention(stream, other);
    }

    /** Where reading of each partition of a stream's topic stands. */
    public List<SourceOffsets> offsets(String stream) {
        return administration.offsets(stream);
    }

    /**
     * Goes on reading from further on; what is passed over and not indexed is recorded as lost.
     *
     * @param offsets by partition, the offset of its log
     * @throws WaterwheelException of kind USER when one of them would go backwards, or beyond the log
     */
    public List<SourceOffsets> setOffsets(String stream, Map<Integer, Long> offsets) {
        return administration.setOffsets(stream, offsets);
    }

    /**
     * Hands over the dead letters of a stream that there are now, oldest first. Reads them from Kafka, whose clients
     * must be on the class path.
     */
    public void deadLetters(String stream, long limit, Consumer<DeadLetter> each) {
        Libraries.requireKafka("to read dead letters");
        DeadLetterReader.read(describe(stream), limit, each);
    }

    /**
     * Flushes the stream, counts what its topic holds, and compares that with the answers: on a running system,
     * exactly, as far as the topic still has the records of chunks: the notes say what it has not. What was appended
     * before this call is compared.
     *
     * @throws WaterwheelException of kind TEMPORARY when it takes longer, or another verification is under way; USER
     *     when nothing can be compared, as each flush has records that the log has no longer
     */
    public Verification verify(String stream, Duration timeout) {
        return administration.verify(stream, timeout);
    }

    /**
     * Reads every chunk of a stream whole, on the server: checks every checksum, decodes every value, and compares the
     * files with what the catalog says of them. Takes as long as that takes; ends when this thread is interrupted.
     */
    public ChunkVerification verifyChunks(String stream) {
        return administration.verifyChunks(stream);
    }

    /**
     * Where the chunks of a stream lie, in keys and times: a page of them, in an order that they keep.
     *
     * @param times only chunks that reach into them
     * @param after what the page before has as its next; null: from the first on
     * @param most 1 to 10,000
     */
    public ChunkRegions chunkRegions(
            String stream, TimeInterval times, ChunkRegions.@Nullable Position after, int most) {
        return administration.chunkRegions(stream, times, after, most);
    }

    /** How the server and its streams are. */
    public ServerStatus status() {
        return administration.status();
    }

    /**
     * Puts other scales of the dimensions of a stream's key in force, for the tuples that come from then on, or says
     * what they would gain. What is there keeps its keys, and answers stay exact.
     *
     * @param scales the same dimensions with the same bits, divided otherwise; empty: learned from the newest tuples
     * @param from the version of the scales that must be the newest still; 0: any
     * @param dryRun change nothing
     * @throws WaterwheelException BAD_REQUEST when the key has no dimensions, the scales do not fit, are those in
     *     force, or there are 16 versions already
     */
    public Rescaling rescale(String stream, List<Dimension> scales, int from, boolean dryRun) {
        return administration.rescale(stream, scales, from, dryRun);
    }

    /**
     * The shapes of the questions that the coordinators were asked last of a stream whose key has dimensions, and a
     * sample of its keys. Reads the keys of up to eight chunks.
     *
     * @param mostKeys 1 to 65,536
     */
    public AskedQuestions questions(String stream, int mostKeys) {
        return administration.questions(stream, mostKeys);
    }

    /**
     * Where the metrics of the server's workers, and of gateways in front of it, are scraped.
     *
     * @param gateway {@code HOST:PORT} of a gateway that asks, which is listed from then on for a minute and a half,
     *     here and in the status; empty where it is none
     * @param version of that gateway, at most 64 printable characters of ASCII; empty where it is not known
     * @param startedMillis when it started, since 1970; 0 where it is not known
     */
    public List<MetricsPlace> metricsPlaces(String gateway, String version, long startedMillis) {
        return administration.metricsPlaces(gateway, version, startedMillis);
    }

    /** The queries that all coordinators have open, the oldest first. */
    public List<OpenQuery> queries() {
        return administration.queries();
    }

    /**
     * Ends an open query; its client is told QUERY_KILLED.
     *
     * @param id as {@link #queries} has it
     * @return whether one of that id was open
     */
    public boolean killQuery(String id) {
        return administration.killQuery(id);
    }

    /**
     * Follows a stream: rows as queries see them, each once, from a position on. Needs Kafka's clients on the class
     * path.
     *
     * @throws WaterwheelException when there is no such stream, the condition is none over it, or a position is wrong
     */
    public Tail tail(String stream, TailSettings settings) {
        Libraries.requireKafka("to follow a stream");
        Tail.Server server = new Tail.Server() {
            @Override
            public StreamDetails describe(String name) {
                return WaterwheelClient.this.describe(name);
            }

            @Override
            public Verdict ask(Query query) {
                return questions.whole(query, cursor -> {
                    boolean more = true;
                    while (more) {
                        more = cursor.nextBatch();
                    }
                    return cursor.verdict();
                });
            }
        };
        RegistryAccess access = registryAccess;
        return new Tail(
                server,
                TopicReader::new,
                access == null ? RegistryAccess.ofEnvironment(System::getenv) : access,
                stream,
                settings,
                TAIL_PACE);
    }

    /**
     * Lets later tails into schema registries by this, not by what the environment's {@code WATERWHEEL_REGISTRY_AUTH}
     * names.
     */
    public void useRegistryAccess(RegistryAccess access) {
        registryAccess = access;
    }

    /** Opens an appender to a stream, with the usual settings. Needs Kafka's clients on the class path. */
    public Appender appender(String stream) {
        Libraries.requireKafka("to append");
        return Appender.open(describe(stream), AppenderSettings.DEFAULT);
    }

    /**
     * Ends the connections. Answers that are still open are cancelled: their readers fail, and close them, and only
     * then is the memory given back.
     */
    @Override
    public void close() {
        answers.close();
        coordinators.shutdown();
    }
}
