package io.waterwheel.gateway;

import io.waterwheel.cli.output.ExplanationJson;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.MediaTypes;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * Asks a query and sends its answer on, as fast as the client takes it. A client that goes away cancels its query. Each
 * open query has a thread of a bounded pool.
 */
final class QueryEndpoint {
    private final Server server;
    private final Executor queries;
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

    /** @param queries refuses what is more than may be open */
    QueryEndpoint(Server server, Executor queries, ClientWatch watch, long patienceMillis) {
        this.server = server;
        this.queries = queries;
        this.watch = watch;
        this.patienceMillis = patienceMillis;
    }

    /** {@code GET} and {@code POST /v1/query}. */
    void query(Exchange exchange) {
        AnswerFormat format = AnswerFormat.of(exchange.parameter("format"), exchange.header(HttpHeader.ACCEPT));
        AnswerStream.requireChunks(exchange.request());
        Query query = QueryReader.read(exchange);
        run(exchange, query, (cursor, lastWord) -> send(exchange, format, cursor, lastWord));
    }

    /** {@code POST /v1/explain}. */
    void explain(Exchange exchange) {
        String analyze = exchange.parameter("analyze");
        if (analyze != null && !analyze.equals("true") && !analyze.equals("false") && !analyze.isEmpty()) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST, "analyze: expected true or false, got '" + analyze + "'", "analyze", null);
        }
        boolean text = MediaTypes.best(exchange.header(HttpHeader.ACCEPT), List.of(Exchange.JSON, "text/plain")) == 1;
        boolean run = analyze != null && !analyze.equals("false");
        Query query = QueryReader.read(exchange).withExplain(run ? Explain.ANALYZE : Explain.PLAN);
        run(exchange, query, (cursor, lastWord) -> {
            if (!run && cursor.next()) {
                throw Verdict.notExplained();
            }
            boolean more = true;
            while (more) {
                more = cursor.nextBatch();
            }
            var explanation = cursor.verdict().requireExplanation();
            byte[] bytes = (text ? explanation.text() : ExplanationJson.of(explanation) + "\n")
                    .getBytes(StandardCharsets.UTF_8);
            lastWord.run();
            exchange.answer(200, text ? Exchange.TEXT : Exchange.JSON, bytes);
        });
    }

    /** Reads an answer. */
    @FunctionalInterface
    private interface Reading {
        void read(Cursor cursor, Runnable lastWord);
    }

    private void run(Exchange exchange, Query query, Reading reading) {
        WaterwheelClient asked = server.client();
        CompletableFuture<ClientWatch.Watched> watched = new CompletableFuture<>();
        CompletableFuture<@Nullable Void> answer;
        try {
            answer = asked.read(query, queries, cursor -> {
                reading.read(cursor, () -> watched.join().end());
                return null;
            });
        } catch (RejectedExecutionException e) {
            throw HttpFailure.of(
                    HttpCode.GATEWAY_BUSY, "the gateway has as many queries open as it may; ask again in a moment");
        }
        ClientWatch.Watched client = watch.add(exchange.request(), () -> answer.cancel(false));
        watched.complete(client);
        var unused = answer.whenComplete((nothing, failure) -> {
            client.end();
            if (failure != null) {
                exchange.fail(failure);
            }
        });
    }

    private void send(Exchange exchange, AnswerFormat format, Cursor cursor, Runnable lastWord) {
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
            lastWord.run();
            stream.end(VerdictJson.trailer(verdict));
        } catch (AnswerStream.ClientGone e) {
            stream.cut(e);
        } catch (RuntimeException e) {
            HttpFailure failure = HttpFailure.of(e);
            try {
                encoder.fail(failure);
                encoder.flush();
            } catch (AnswerStream.ClientGone gone) {
                e.addSuppressed(gone);
            }
            stream.cut(e);
        }
    }
}
