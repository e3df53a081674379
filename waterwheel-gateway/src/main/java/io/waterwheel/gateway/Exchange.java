package io.waterwheel.gateway;

import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.gateway.http.MediaTypes;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.wire.TraceParent;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer, which is begun once: whole by {@link #answer}, or in pieces by {@link #stream}.
 * Thread-safe as far as that.
 */
final class Exchange {
    /** Says by which span of the caller's trace a request was answered [W3C Trace Context]. */
    private static final String TRACE_RESPONSE = "traceresponse";

    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    private static final byte[] NOTHING = {};

    static final String JSON = "application/json";
    static final String TEXT = "text/plain; charset=utf-8";

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final String name;
    private final Map<String, List<String>> parameters;
    private volatile byte[] body;
    private final PushBudget.Lease lease;
    private boolean leaseKept;
    private volatile boolean influx;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final @Nullable TraceParent trace;

    /**
     * @param name of the stream that the path names; empty where it names none
     * @param parameters of the query of the URI, decoded
     * @param body whole; not copied
     * @param lease of its bytes; given back with the answer
     */
    Exchange(
            Request request,
            Response response,
            Callback callback,
            String name,
            Map<String, List<String>> parameters,
            byte[] body,
            PushBudget.Lease lease) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.name = name;
        this.parameters = parameters;
        this.body = body;
        this.lease = lease;
        TraceParent caller = TraceParent.parse(only(request.getHeaders().getValuesList(TraceParent.HEADER)));
        // Every request is a span of its own, of which the coordinator's is a child.
        this.trace =
                caller == null ? null : caller.child(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE) + 1);
    }

    private static @Nullable String only(List<String> values) {
        return values.size() == 1 ? values.get(0) : null;
    }

    /** This request in the trace that its caller named; null where it named none. */
    @Nullable
    TraceParent trace() {
        return trace;
    }

    String name() {
        return name;
    }

    Map<String, List<String>> parameters() {
        return parameters;
    }

    /** The only value of a parameter; null where it is not given. */
    @Nullable
    String parameter(String parameter) {
        return only(parameters, parameter);
    }

    /** The only value of one of these parameters; null where it is not given. */
    static @Nullable String only(Map<String, List<String>> parameters, String parameter) {
        List<String> values = parameters.getOrDefault(parameter, List.of());
        if (values.size() > 1) {
            throw HttpFailure.bad(
                    io.waterwheel.error.ErrorCode.BAD_REQUEST,
                    "parameter " + parameter + " is given " + values.size() + " times; give it once",
                    parameter,
                    null);
        }
        return values.isEmpty() ? null : values.get(0);
    }

    /** Refuses parameters that are not of this list. */
    void allow(List<String> known) {
        for (String parameter : parameters.keySet()) {
            if (!known.contains(parameter)) {
                throw HttpFailure.bad(
                        io.waterwheel.error.ErrorCode.BAD_REQUEST,
                        "there is no parameter '" + parameter + "' here; "
                                + (known.isEmpty() ? "there are none" : "there are " + known),
                        parameter,
                        null);
            }
        }
    }

    byte[] body() {
        return body;
    }

    /** From now on failures are told as InfluxDB tells them. */
    void failAsInflux() {
        influx = true;
    }

    /** Takes the bytes that the request holds beside its body. */
    PushBudget.Lease lease() {
        return lease;
    }

    /** Lets go of the body and of what was taken for it and its rows: it is needed no more, and the answer waits. */
    void forgetBody() {
        body = NOTHING;
        lease.close();
    }

    /** Keeps the bytes beyond the answer, until this is done. */
    void keepLease(CompletableFuture<?> until) {
        leaseKept = true;
        var unused = until.whenComplete((result, failure) -> lease.close());
    }

    Request request() {
        return request;
    }

    /** The header's value; null where there is none. */
    @Nullable
    String header(HttpHeader header) {
        return request.getHeaders().get(header);
    }

    /** All lines of the header {@code Accept} as one; empty where there is none. */
    String accept() {
        return String.join(",", request.getHeaders().getValuesList(HttpHeader.ACCEPT));
    }

    /** The media type of the body, without parameters, in lower case; empty where none is said. */
    String bodyType() {
        String type = header(HttpHeader.CONTENT_TYPE);
        return type == null ? "" : MediaTypes.bare(type);
    }

    /** Answers in one piece, which the client is to take within the time that a connection may rest. */
    void answer(int status, String type, byte[] bytes) {
        if (!begun.compareAndSet(false, true)) {
            throw new IllegalStateException("answered twice: " + request);
        }
        head(status, type);
        if (!leaseKept) {
            lease.close();
        }
        if (!request.consumeAvailable()) {
            // Behind an answer that does not wait for the whole body the connection ends: the client is told so.
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        boolean head = HttpMethod.HEAD.is(request.getMethod());
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.length);
        AnswerStream.writeLast(request, response, head ? ByteBuffer.allocate(0) : ByteBuffer.wrap(bytes), callback);
    }

    private void head(int status, String type) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        if (trace != null) {
            response.getHeaders().put(TRACE_RESPONSE, trace.toString());
        }
        // What rows say is never a page.
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
    }

    /** Has the answer, which is not begun, say this too. */
    void say(String header, String value) {
        response.getHeaders().put(header, value);
    }

    void json(byte[] document) {
        answer(200, JSON, document);
    }

    /** Begins an answer in pieces that has no verdict. */
    AnswerStream events(String type, long patienceMillis) {
        return stream(type, patienceMillis, false);
    }

    /**
     * Begins an answer in pieces, which ends with a verdict.
     *
     * @throws HttpFailure when the client speaks a version of HTTP that cannot tell where such an answer ends
     */
    AnswerStream stream(String type, long patienceMillis) {
        return stream(type, patienceMillis, true);
    }

    private AnswerStream stream(String type, long patienceMillis, boolean trailer) {
        AnswerStream.requireChunks(request);
        if (!begun.compareAndSet(false, true)) {
            throw new IllegalStateException("answered twice: " + request);
        }
        lease.close();
        head(200, type);
        return new AnswerStream(request, response, callback, patienceMillis, trailer);
    }

    /** Goes on with the answer on this thread; what the step throws, the client is told. */
    void answer(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    /**
     * Goes on with the answer on a thread that may wait, for a coordinator for example, where the one that read the
     * request may not.
     *
     * @param threads refuse what is too much; the client is told so
     */
    void answer(Executor threads, Runnable step) {
        try {
            threads.execute(() -> answer(step));
        } catch (RejectedExecutionException e) {
            fail(HttpFailure.of(
                    HttpCode.GATEWAY_BUSY, "the gateway has as many such requests under way as it may; try again"));
        }
    }

    /** Ends the connection: the client is gone, there is no reader of an answer. */
    void gone(Throwable why) {
        if (begun.compareAndSet(false, true)) {
            lease.close();
        }
        request.getConnectionMetaData().getConnection().getEndPoint().close(why);
        callback.failed(why);
    }

    /** Whether the client is being answered, or was. */
    boolean hasBegun() {
        return begun.get();
    }

    /** Tells the client what went wrong; where the answer has begun already, ends the connection. */
    void fail(Throwable how) {
        HttpFailure failure = HttpFailure.of(how);
        if (failure.status() == 500) {
            LOG.warn(
                    "{} {}{}: {}",
                    request.getMethod(),
                    request.getHttpURI().getPath(),
                    trace == null ? "" : ", traceparent " + trace,
                    failure.getMessage(),
                    how);
        }
        if (begun.get()) {
            callback.failed(how);
            return;
        }
        if (failure.retryAfter() > 0) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, failure.retryAfter());
        }
        answer(failure.status(), JSON, influx ? InfluxEndpoint.failure(failure) : Json.bytes(failure::write));
    }
}
