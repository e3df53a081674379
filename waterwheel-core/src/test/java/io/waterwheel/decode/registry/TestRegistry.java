package io.waterwheel.decode.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A small schema registry, written for the tests: it answers {@code GET /schemas/ids/ID} as the open protocol of schema
 * registries says, and can be made to fail.
 */
public final class TestRegistry implements AutoCloseable {
    static {
        // Or each answer waits 40 ms for the acknowledgement of its head.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<Integer, String> schemas = new ConcurrentHashMap<>();
    private final Map<String, String> subjects = new ConcurrentHashMap<>();
    private final AtomicInteger questions = new AtomicInteger();
    private volatile int status = 200;
    private volatile String body = "";

    public TestRegistry() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/schemas/ids/", this::answer);
        server.createContext("/subjects/", this::answerSubject);
        server.setExecutor(threads);
        server.start();
    }

    /** Where it listens. */
    public String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Gives a schema a number. */
    public void register(int id, String type, String schema) {
        register(id, type, schema, List.of());
    }

    /** Gives a schema a place in a subject. */
    public void subject(String subject, int version, String type, String schema, List<Map<String, Object>> refers) {
        subjects.put(subject + "/versions/" + version, text(type, schema, refers));
    }

    /** What a schema says of another that it refers to. */
    public static Map<String, Object> reference(String name, String subject, int version) {
        return Map.of("name", name, "subject", subject, "version", version);
    }

    /** Gives a schema that refers to others a number. */
    public void register(int id, String type, String schema, List<Map<String, Object>> refers) {
        schemas.put(id, text(type, schema, refers));
    }

    private static String text(String type, String schema, List<Map<String, Object>> refers) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("schema", schema);
        if (!type.equals("AVRO")) {
            answer.put("schemaType", type);
        }
        if (!refers.isEmpty()) {
            answer.put("references", refers);
        }
        try {
            return new ObjectMapper().writeValueAsString(answer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Answers so from now on, whatever is asked; 200: as it should. */
    public void answer(int with, String text) {
        body = text;
        status = with;
    }

    /** How often it was asked. */
    public int questions() {
        return questions.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        questions.incrementAndGet();
        String path = exchange.getRequestURI().getPath();
        String schema = schemas.get(Integer.parseUnsignedInt(path.substring(path.lastIndexOf('/') + 1)));
        if (status != 200) {
            send(exchange, status, body);
        } else if (!body.isEmpty()) {
            send(exchange, 200, body);
        } else if (schema == null) {
            send(exchange, 404, "{\"error_code\":40403,\"message\":\"Schema not found\"}");
        } else {
            send(exchange, 200, schema);
        }
    }

    private void answerSubject(HttpExchange exchange) throws IOException {
        questions.incrementAndGet();
        String schema = subjects.get(exchange.getRequestURI().getPath().substring("/subjects/".length()));
        if (status != 200) {
            send(exchange, status, body);
        } else if (schema == null) {
            send(exchange, 404, "{\"error_code\":40401,\"message\":\"Subject not found\"}");
        } else {
            send(exchange, 200, schema);
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
