package io.waterwheel.decode.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.decode.typed.SchemaAwaitedException;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.unpack.BoundedAnswer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The schemas of one registry, by its open protocol over HTTP: {@code GET /schemas/ids/ID}. A schema never changes, so
 * it is asked for once and kept, {@link #KEPT_CHARACTERS} of them at most. {@link #get} never waits: it throws
 * {@link SchemaAwaitedException} until the answer is there, and what fails is asked again after a second. Numbers of
 * later records are asked for ahead, while at most {@link #MOST_AHEAD} are open. What a schema refers to is asked for
 * by {@code GET /subjects/SUBJECT/versions/VERSION}, one after the other ({@link ReferenceWalk}).
 *
 * <p>That a number is unknown is believed when the registry has said so itself, with its own error code,
 * {@link #DENIALS} times a second apart: one that has just started, or follows another, may not know it yet. Of one
 * that has told schemas and denied several others in full, one word is enough. Any other answer is an outage.
 * Thread-safe.
 */
public final class SchemaRegistry implements WriterSchemas {
    static final int DENIALS = 3;

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int MOST_BYTES = 1 << 20;
    private static final long KEPT_CHARACTERS = 32L << 20;
    private static final int MOST_DENIED = 10_000;
    private static final int MOST_SHOWN = 200;
    /** Numbers that are open while others are asked for ahead of their records. */
    static final int MOST_AHEAD = 64;
    /** What a registry says of a number that it does not have. */
    private static final int NO_SUCH_SCHEMA = 40_403;

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** What is known of a number that is asked for. */
    private static final class Question {
        private boolean underWay;
        private int denials;
        private long nextNanos = System.nanoTime();
        private String why = "it has not answered yet";
        /** Whether the registry has answered that it does not answer us. */
        private boolean refused;
    }

    private final String address;
    private final long retryNanos;
    private final RegistryAccess access;
    private @Nullable HttpClient client;
    private final LinkedHashMap<Integer, RegisteredSchema> known = new LinkedHashMap<>(16, 0.75f, true);
    private long characters;
    private final Map<Integer, Question> open = new HashMap<>();
    private final LinkedHashMap<Integer, Boolean> denied = new LinkedHashMap<>();

    /** @param address such as {@code http://registry:8081}; nothing is sent there before the first question */
    public SchemaRegistry(String address) {
        this(address, RegistryAccess.NONE);
    }

    /**
     * The same.
     *
     * @param access how registries let this process in
     */
    public SchemaRegistry(String address, RegistryAccess access) {
        this(address, access, RETRY_NANOS);
    }

    SchemaRegistry(String address, RegistryAccess access, long retryNanos) {
        this.address = RegistryAccess.bare(address);
        this.access = access;
        this.retryNanos = retryNanos;
    }

    /** The same for a caller that may wait, so long for one schema at most. */
    public WriterSchemas waiting(Duration patience) {
        return id -> await(id, patience, false);
    }

    /** The same, for those who can mend what a registry refuses: they are told at once. */
    public WriterSchemas waitingUnlessRefused(Duration patience) {
        return id -> await(id, patience, true);
    }

    private boolean isRefused(int id) {
        Question question = open.get(id);
        return question != null && !question.underWay && question.refused;
    }

    /** Of what we sent: another request may be answered, the same will not be. */
    private static boolean isRefusal(int status) {
        return status == 400 || status == 401 || status == 403 || status == 405 || status == 422;
    }

    private synchronized RegisteredSchema await(int id, Duration patience, boolean untilRefused)
            throws MalformedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                return get(id);
            } catch (SchemaAwaitedException e) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0 || (untilRefused && isRefused(id))) {
                    throw e;
                }
                try {
                    // Woken by an answer; after one that failed it is asked again in a while.
                    wait(Math.min(left, Math.max(1, TimeUnit.NANOSECONDS.toMillis(retryNanos))));
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw e;
                }
            }
        }
    }

    @Override
    public synchronized RegisteredSchema get(int id) throws MalformedException {
        RegisteredSchema schema = known.get(id);
        if (schema != null) {
            return schema;
        }
        if (denied.containsKey(id)) {
            throw new MalformedException("the registry " + address + " has no schema " + Integer.toUnsignedString(id));
        }
        Question question = question(id);
        throw new SchemaAwaitedException(
                "schema " + Integer.toUnsignedString(id) + " of the registry " + address + ": " + question.why);
    }

    @Override
    public synchronized void prefetch(int id) {
        if (known.containsKey(id) || denied.containsKey(id)) {
            return;
        }
        if (open.size() >= MOST_AHEAD) {
            // Records of these may be gone with their stream.
            long now = System.nanoTime();
            open.values().removeIf(question -> !question.underWay && now - question.nextNanos > FORGOTTEN_NANOS);
        }
        if (open.size() < MOST_AHEAD || open.containsKey(id)) {
            var unused = question(id);
        }
    }

    /** Asks for a schema, unless that is under way or was done a moment ago. */
    private Question question(int id) {
        Question question = open.computeIfAbsent(id, unused -> new Question());
        if (!question.underWay && System.nanoTime() - question.nextNanos >= 0) {
            question.underWay = true;
            try {
                ask(id);
            } catch (RuntimeException e) {
                answered(id, null, e);
            }
        }
        return question;
    }

    private synchronized HttpClient client() {
        HttpClient there = client;
        if (there == null) {
            HttpClient.Builder builder = HttpClient.newBuilder()
                    .connectTimeout(CONNECT)
                    // What lets us in is for this address alone.
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .version(HttpClient.Version.HTTP_1_1);
            access.trust(address, builder);
            there = builder.build();
            client = there;
        }
        return there;
    }

    /**
     * The subjects that have a schema, as the registry says at once; empty where it does not say. Waits, for ten
     * seconds at most.
     */
    public List<String> subjects(int id) {
        List<String> subjects = new ArrayList<>();
        try {
            HttpResponse<byte[]> response = send("/schemas/ids/" + Integer.toUnsignedString(id) + "/subjects")
                    .join();
            if (response.statusCode() == 200) {
                json(response).forEach(subject -> subjects.add(shown(subject.asText())));
            }
        } catch (CompletionException | IOException e) {
            // Not all registries know the question, and nothing depends on it.
            return List.of();
        }
        return subjects;
    }

    private void ask(int id) {
        var unused = send("/schemas/ids/" + Integer.toUnsignedString(id))
                .whenComplete((response, failure) -> answered(id, response, failure));
    }

    private CompletableFuture<HttpResponse<byte[]>> send(String path) {
        return BoundedAnswer.of(client(), request(path), MOST_BYTES, ANSWER);
    }

    /** Asks for the next schema that one refers to, or keeps it when there is none. */
    private void walk(int id, Question question, ReferenceWalk references) {
        ReferenceWalk.Place next = references.next();
        if (next == null) {
            keep(id, references.whole());
            open.remove(id);
            return;
        }
        question.underWay = true;
        try {
            var unused = send(next.path())
                    .whenComplete((response, failure) -> walked(id, references, next, response, failure));
        } catch (RuntimeException e) {
            question.underWay = false;
            question.why = next.describe() + " cannot be asked for: " + shown(String.valueOf(e));
        }
    }

    private synchronized void walked(
            int id,
            ReferenceWalk references,
            ReferenceWalk.Place place,
            @Nullable HttpResponse<byte[]> response,
            @Nullable Throwable failure) {
        Question question = open.computeIfAbsent(id, unused -> new Question());
        question.underWay = false;
        question.nextNanos = System.nanoTime() + retryNanos;
        question.refused = response != null && isRefusal(response.statusCode());
        if (response == null) {
            question.why = place.describe() + " cannot be asked for: " + cause(failure);
        } else if (response.statusCode() != 200) {
            question.why = place.describe() + ": it answered with status " + response.statusCode() + advice(response);
        } else {
            try {
                references.found(place, json(response));
                walk(id, question, references);
            } catch (IOException e) {
                question.why = place.describe() + ": its answer cannot be read: " + e.getMessage();
            }
        }
        notifyAll();
    }

    private static String cause(@Nullable Throwable failure) {
        if (failure instanceof IllegalArgumentException) {
            return shown(String.valueOf(failure.getMessage())); // of what is configured
        }
        return shown(String.valueOf(failure != null && failure.getCause() != null ? failure.getCause() : failure));
    }

    private HttpRequest request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path))
                .header("Accept", "application/vnd.schemaregistry.v1+json, application/json")
                .GET();
        String authorization = access.authorization(address);
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        return request.build();
    }

    private synchronized void answered(int id, @Nullable HttpResponse<byte[]> response, @Nullable Throwable failure) {
        Question question = open.computeIfAbsent(id, unused -> new Question());
        question.underWay = false;
        question.nextNanos = System.nanoTime() + retryNanos;
        question.refused = response != null && isRefusal(response.statusCode());
        if (response == null) {
            question.why = "it cannot be asked: " + cause(failure);
        } else {
            try {
                take(id, question, response);
            } catch (IOException e) {
                question.why = "its answer cannot be read: " + e.getMessage();
            }
        }
        notifyAll();
    }

    private void take(int id, Question question, HttpResponse<byte[]> response) throws IOException {
        JsonNode answer = json(response);
        if (response.statusCode() == 200) {
            JsonNode text = answer.path("schema");
            if (!text.isTextual()) {
                question.why = "its answer has no member 'schema'";
                return;
            }
            walk(id, question, new ReferenceWalk(answer));
        } else if (response.statusCode() == 404 && answer.path("error_code").asInt() == NO_SUCH_SCHEMA) {
            question.denials++;
            question.why = "it says that it has none, and is asked again";
            boolean awake = !known.isEmpty() && denied.size() >= DENIALS;
            if (question.denials >= DENIALS || awake) {
                open.remove(id);
                denied.put(id, true);
                trim(denied, MOST_DENIED);
            }
        } else {
            question.why = "it answered with status " + response.statusCode()
                    + advice(response)
                    + (answer.path("message").isTextual()
                            ? ", " + shown(answer.path("message").textValue())
                            : "");
        }
    }

    private String advice(HttpResponse<byte[]> response) {
        return response.statusCode() == 401 || response.statusCode() == 403 ? access.advice(address) : "";
    }

    /** A foreign text, fit to be shown. */
    static String shown(String text) {
        StringBuilder safe = new StringBuilder();
        text.chars().limit(MOST_SHOWN).forEach(c -> safe.append(Character.isISOControl(c) ? '?' : (char) c));
        return safe.toString();
    }

    private static JsonNode json(HttpResponse<byte[]> response) throws IOException {
        try {
            return MAPPER.readTree(response.body());
        } catch (JsonProcessingException e) {
            if (response.statusCode() == 200) {
                throw new IOException("it is no JSON", e);
            }
            return MAPPER.createObjectNode();
        }
    }

    private void keep(int id, RegisteredSchema schema) {
        known.put(id, schema);
        characters += schema.characters();
        for (Iterator<RegisteredSchema> eldest = known.values().iterator();
                characters > KEPT_CHARACTERS && known.size() > 1; ) {
            characters -= eldest.next().characters();
            eldest.remove();
        }
    }

    private static void trim(Map<Integer, Boolean> ids, int most) {
        Iterator<Integer> eldest = ids.keySet().iterator();
        while (ids.size() > most) {
            eldest.next();
            eldest.remove();
        }
    }

    /** Numbers that are being asked for, for tests. */
    synchronized List<Integer> awaited() {
        return new ArrayList<>(open.keySet());
    }
}
