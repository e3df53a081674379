package io.waterwheel.decode.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.decode.typed.SchemaAwaitedException;
import io.waterwheel.decode.typed.WriterSchemas;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is made of a registry's answers; the registry is the tests' own. */
@Timeout(300)
final class SchemaRegistryTest {
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Duration SHORT = Duration.ofMillis(300);

    private final TestRegistry server = new TestRegistry();
    private final SchemaRegistry registry = new SchemaRegistry(server.address() + "/", RegistryAccess.NONE, 1_000_000);
    private final WriterSchemas waiting = registry.waiting(LONG);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void aSchemaIsAskedForOnceAndNobodyWaitsForIt() throws Exception {
        server.register(7, "AVRO", "\"long\"");
        server.register(-1, "PROTOBUF", "syntax");
        assertThatThrownBy(() -> registry.get(7))
                .isInstanceOf(SchemaAwaitedException.class)
                .hasMessage("schema 7 of the registry " + server.address() + ": it has not answered yet");
        assertThat(waiting.get(7)).isEqualTo(new RegisteredSchema("AVRO", "\"long\""));
        assertThat(waiting.get(-1)).isEqualTo(new RegisteredSchema("PROTOBUF", "syntax"));
        assertThat(registry.get(7).require("AVRO")).isEqualTo("\"long\"");
        assertThatThrownBy(() -> registry.get(-1).require("AVRO")).hasMessage("is of type protobuf, not avro");
        assertThat(server.questions()).isEqualTo(2);
        server.close();
        assertThat(registry.get(7).text()).isEqualTo("\"long\"");
    }

    @Test
    void anUnknownNumberIsBelievedWhenTheRegistryHasSaidSoSeveralTimes() {
        assertThatThrownBy(() -> waiting.get(5))
                .isInstanceOf(MalformedException.class)
                .hasMessage("the registry " + server.address() + " has no schema 5");
        assertThat(server.questions()).isEqualTo(SchemaRegistry.DENIALS);
        server.register(5, "AVRO", "\"int\"");
        assertThatThrownBy(() -> registry.get(5))
                .as("the same record is the same dead letter again")
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void everyOtherAnswerIsAnOutageThatPasses() throws Exception {
        server.register(3, "AVRO", "\"int\"");
        outage(503, "{\"error_code\": 50301, \"message\": \"no leader\"}", "answered with status 503, no leader");
        outage(404, "<html>", "answered with status 404");
        outage(302, "", "answered with status 302");
        outage(200, "no JSON", "its answer cannot be read: it is no JSON");
        outage(200, "{}", "its answer has no member 'schema'");
        outage(200, "x".repeat((1 << 20) + 1), "more than 1048576 bytes");
        server.answer(200, "");
        assertThat(waiting.get(3).text()).isEqualTo("\"int\"");
    }

    @Test
    @Timeout(60)
    void aRefusalIsToldAtOnceToThoseWhoWantThat() {
        server.register(3, "AVRO", "\"int\"");
        SchemaRegistry asked = new SchemaRegistry(server.address(), RegistryAccess.NONE, TimeUnit.HOURS.toNanos(1));
        server.answer(401, "{\"error_code\": 401, \"message\": \"who are you\"}");
        assertThatThrownBy(() -> asked.waitingUnlessRefused(Duration.ofHours(1)).get(3))
                .isInstanceOf(SchemaAwaitedException.class)
                .hasMessageContaining("answered with status 401")
                .hasMessageContaining("who are you");
    }

    private void outage(int status, String body, String why) {
        server.answer(status, body);
        outage(registry, 3, why);
    }

    /** The answer of before may still be told, or none may have come yet: it is asked again a millisecond later. */
    private static void outage(SchemaRegistry asked, int id, String why) {
        Waiting.until(why, () -> {
            try {
                throw new AssertionError("answered: " + asked.waiting(SHORT).get(id));
            } catch (SchemaAwaitedException e) {
                return String.valueOf(e.getMessage()).contains(why);
            }
        });
    }

    @Test
    void aRegistryThatIsNotThereIsAnOutageAndOneThatComesEndsIt() throws Exception {
        String address = server.address();
        server.close();
        SchemaRegistry away = new SchemaRegistry(address, RegistryAccess.NONE, 1_000_000);
        outage(away, 1, "it cannot be asked: ");
        assertThat(away.awaited()).containsExactly(1);
    }

    @Test
    void whoWaitsIsToldOfTheAnswer() throws Exception {
        server.answer(500, "");
        // Of its own: the common pool, whose threads hand over what HTTP clients get, may have one.
        CompletableFuture<RegisteredSchema> answer = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return waiting.get(9);
                    } catch (MalformedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                task -> new Thread(task).start());
        Waiting.until("it is asked", () -> server.questions() > 0);
        server.register(9, "AVRO", "\"int\"");
        server.answer(200, "");
        assertThat(answer.get(50, TimeUnit.SECONDS).text()).isEqualTo("\"int\"");
    }

    @Test
    void schemasOfLaterRecordsAreAskedForAhead() throws Exception {
        for (int id = 1; id <= 10; id++) {
            server.register(id, "AVRO", "\"int\"");
            registry.prefetch(id);
        }
        Waiting.until("all have been told", () -> registry.awaited().isEmpty());
        for (int id = 1; id <= 10; id++) {
            assertThat(registry.get(id).text()).isEqualTo("\"int\"");
            registry.prefetch(id);
        }
        assertThat(server.questions()).isEqualTo(10);
        server.answer(500, "");
        for (int id = 1000; id < 2000; id++) {
            registry.prefetch(id);
        }
        assertThat(registry.awaited()).hasSize(SchemaRegistry.MOST_AHEAD);
    }
}
