package io.waterwheel.gateway;

import io.waterwheel.cli.output.AnswerStats;
import io.waterwheel.cli.output.ExplanationJson;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.QueryReader.Question;
import io.waterwheel.gateway.answer.AnswerFormat;
import io.waterwheel.gateway.answer.RowEncoder;
import io.waterwheel.gateway.answer.VerdictJson;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.gateway.http.MediaTypes;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a query and sends its answer on, as fast as the client takes it. A client that goes away cancels its query. Each
 * open query has a thread of a bounded pool.
 */
final class QueryEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(QueryEndpoint.class);

    private final Server server;
    private final Executor queries;
    private final Semaphore places;
    private final ClientWatch watch;
    private final long patienceMillis;

    /** The server that is asked. */
    interface Server {
        /**
         * Its client.
         *
         * @throws HttpFailure while there is none
         */
        WaterwheelClient client();
    }

    /**
     * @param queries has room for more than may be open: a thread is free a moment after its client has the answer
     * @param most queries that may be open
     */
    QueryEndpoint(Server server, Executor queries, int most, ClientWatch watch, long patienceMillis) {
        this.server = server;
        this.queries = queries;
        this.places = new Semaphore(most);
        this.watch = watch;
        this.patienceMillis = patienceMillis;
    }

    /** {@code GET} and {@code POST /v1/query}. */
    void query(Exchange exchange) {
        AnswerStream.requireChunks(exchange.request());
        run(exchange, place -> {
            QueryReader.Asked asked = QueryReader.read(exchange, List.of("format"));
            AnswerFormat format = AnswerFormat.of(asked.own().get("format"), exchange.accept());
            ask(exchange, place, asked.question(), cursor -> send(exchange, format, cursor, place), HttpFailure::of);
        });
    }

    /** {@code POST /v1/explain}. */
    void explain(Exchange exchange) {
        List<String> types = List.of(Exchange.JSON, "text/plain");
        int type = MediaTypes.best(exchange.accept(), types);
        if (type < 0) {
            throw HttpFailure.of(
                    HttpCode.NOT_ACCEPTABLE,
                    "Accept: expected one of " + types + " or a range that holds one, got '" + exchange.accept() + "'",
                    "Accept");
        }
        run(exchange, place -> {
            QueryReader.Asked asked = QueryReader.read(exchange, List.of("analyze"));
            String analyze = asked.own().getOrDefault("analyze", "false");
            if (!analyze.equals("true") && !analyze.equals("false") && !analyze.isEmpty()) {
                throw HttpFailure.bad(
                        ErrorCode.BAD_REQUEST,
                        "analyze: expected true or false, got '" + analyze + "'",
                        "analyze",
                        null);
            }
            boolean runs = !analyze.equals("false");
            if (asked.question() instanceof Question.OfStatement sql) {
                ask(
                        exchange,
                        place,
                        new Question.OfStatement(StatementParameters.explained(sql.statement(), runs)),
                        cursor -> explainStatement(exchange, type == 1, cursor, place),
                        StatementParameters::ofExplained);
                return;
            }
            Query query = ((Question.OfQuery) asked.question()).query();
            ask(
                    exchange,
                    place,
                    new Question.OfQuery(query.withExplain(runs ? Explain.ANALYZE : Explain.PLAN)),
                    cursor -> explain(exchange, type == 1, runs, cursor, place),
                    HttpFailure::of);
        });
    }

    /** The server's answer has a line a row; of a statement that is one query, the verdict has its explanation. */
    private static void explainStatement(Exchange exchange, boolean text, Cursor cursor, Place place) {
        List<String> lines = new ArrayList<>();
        while (cursor.next()) {
            lines.add(cursor.getString(0));
        }
        Verdict verdict = cursor.verdict();
        if (text) {
            answerExplained(exchange, String.join("\n", lines) + "\n", verdict, place);
            return;
        }
        Explanation explanation = verdict.explanation();
        answerExplained(
                exchange,
                json -> {
                    if (explanation != null) {
                        ExplanationJson.writeMembers(json, explanation);
                        return;
                    }
                    json.writeArrayFieldStart("plan");
                    for (String line : lines) {
                        json.writeString(line);
                    }
                    json.writeEndArray();
                },
                verdict,
                place);
    }

    private static void explain(Exchange exchange, boolean text, boolean runs, Cursor cursor, Place place) {
        if (!runs && cursor.next()) {
            throw Verdict.notExplained();
        }
        boolean more = true;
        while (more) {
            more = cursor.nextBatch();
        }
        Verdict verdict = cursor.verdict();
        Explanation explanation = verdict.requireExplanation();
        if (text) {
            answerExplained(exchange, explanation.text(), verdict, place);
        } else {
            answerExplained(exchange, json -> ExplanationJson.writeMembers(json, explanation), verdict, place);
        }
    }

    /** In words; what the answer lacks that is explained stands behind them. */
    private static void answerExplained(Exchange exchange, String words, Verdict verdict, Place place) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
            out.print(words);
            AnswerStats.printMissing(verdict, out);
        }
        place.free();
        exchange.answer(200, Exchange.TEXT, bytes.toByteArray());
    }

    private static void answerExplained(Exchange exchange, Json.Writing members, Verdict verdict, Place place) {
        byte[] bytes = Json.object(json -> {
            members.write(json);
            VerdictJson.ofExplained(json, verdict);
        });
        place.free();
        exchange.answer(200, Exchange.JSON, bytes);
    }

    /** A place among the open queries. It is free before its client sees the end, so that the next query finds it. */
    private final class Place {
        private final AtomicBoolean free = new AtomicBoolean();
        private volatile ClientWatch.@Nullable Watched client;

        void free() {
            ClientWatch.Watched watched = client;
            if (watched != null) {
                watched.end();
            }
            if (free.compareAndSet(false, true)) {
                places.release();
            }
        }
    }

    /** Runs on a thread of the queries, which also reads what the request says: that may be long. */
    private void run(Exchange exchange, Consumer<Place> task) {
        if (!places.tryAcquire()) {
            throw busy();
        }
        Place place = new Place();
        try {
            queries.execute(() -> {
                try {
                    task.accept(place);
                } catch (RuntimeException | Error e) {
                    place.free();
                    exchange.fail(e);
                } finally {
                    place.free();
                }
            });
        } catch (RejectedExecutionException e) {
            place.free();
            throw busy();
        }
    }

    private static HttpFailure busy() {
        return HttpFailure.of(
                HttpCode.GATEWAY_BUSY, "the gateway has as many queries open as it may; ask again in a moment");
    }

    /** @param told what the client is told of a failure */
    private void ask(
            Exchange exchange,
            Place place,
            Question question,
            Consumer<Cursor> reading,
            Function<Throwable, HttpFailure> told) {
        List<Runnable> reads = new ArrayList<>(1);
        // It runs below, once its client is watched.
        Function<Cursor, @Nullable Void> reader = cursor -> {
            reading.accept(cursor);
            return null;
        };
        CompletableFuture<@Nullable Void> answer = question instanceof Question.OfStatement sql
                ? server.client().read(sql.statement(), exchange.trace(), reads::add, reader)
                : server.client().read(((Question.OfQuery) question).query(), exchange.trace(), reads::add, reader);
        place.client = watch.add(exchange.request(), () -> answer.cancel(false));
        var unused = answer.whenComplete((nothing, failure) -> {
            if (failure instanceof CancellationException) {
                exchange.gone(failure);
            } else if (failure != null) {
                place.free();
                exchange.fail(told.apply(failure));
            }
        });
        reads.forEach(Runnable::run);
    }

    private void send(Exchange exchange, AnswerFormat format, Cursor cursor, Place place) {
        // What fails before the first batch is told by the status.
        boolean more = cursor.nextBatch();
        AnswerStream stream = exchange.stream(format.type(), patienceMillis);
        RowEncoder encoder = RowEncoder.of(format, buffer -> {
            stream.write(buffer.bytes(), buffer.length());
            buffer.clear();
        });
        try {
            encoder.begin(cursor);
            while (more) {
                encoder.batch(cursor);
                more = cursor.nextBatch();
            }
            Verdict verdict = cursor.verdict();
            encoder.end(verdict);
            encoder.flush();
            place.free();
            stream.end(VerdictJson.trailer(verdict));
        } catch (AnswerStream.ClientGone e) {
            stream.cut(e);
        } catch (RuntimeException e) {
            HttpFailure failure = HttpFailure.of(e);
            if (failure.status() == 500) {
                LOG.warn("a query failed within its answer: {}", failure.getMessage(), e);
            } else if (format != AnswerFormat.JSON) {
                // No other form has a place for it.
                LOG.info("an answer in {} was cut off: {}", format, failure.getMessage());
            }
            try {
                encoder.fail(failure);
                encoder.flush();
            } catch (AnswerStream.ClientGone gone) {
                e.addSuppressed(gone);
            }
            place.free();
            stream.cut(e);
        }
    }
}
