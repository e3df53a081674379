package io.waterwheel.decode.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.decode.typed.SchemaAwaitedException;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Registries that want a password, a token or trust in their certificate. */
final class RegistryAccessTest {
    private static final String SCHEMA = "{\"type\": \"record\", \"name\": \"R\", \"fields\": []}";
    private static final String SECRET = "se:cret";
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Duration SHORT = Duration.ofMillis(50);

    @TempDir
    private Path folder;

    private RegistryAccess of(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("registries"), text);
        return RegistryAccess.ofEnvironment(Map.of(RegistryAccess.VARIABLE, "file:" + file)::get);
    }

    private static void reads(TestRegistry registry, RegistryAccess access) throws Exception {
        RegisteredSchema schema =
                new SchemaRegistry(registry.address(), access).waiting(LONG).get(1);
        assertThat(schema.text()).isEqualTo(SCHEMA);
    }

    /** Whoever waits hears why when the time is over; it is short, and so asked for again until the answer is there. */
    private static void refused(TestRegistry registry, RegistryAccess access, String why) {
        SchemaRegistry asked = new SchemaRegistry(registry.address(), access, 1_000_000);
        Waiting.until(why, () -> {
            try {
                throw new AssertionError("answered: " + asked.waiting(SHORT).get(1));
            } catch (SchemaAwaitedException e) {
                assertThat(e).hasMessageNotContaining(SECRET);
                return String.valueOf(e.getMessage()).contains(why);
            }
        });
    }

    @Test
    void aPasswordOrATokenGoesToItsAddressAlone() throws Exception {
        try (TestRegistry registry = new TestRegistry();
                TestRegistry stranger = new TestRegistry()) {
            registry.register(1, "AVRO", SCHEMA);
            registry.guard("Basic cmVhZGVyOnNlOmNyZXQ=");
            String address = registry.address();
            RegistryAccess basic = of("# ours\n\n" + address + "/  basic  reader:" + SECRET + "\n");
            reads(registry, basic);
            assertThat(basic.toString()).doesNotContain(SECRET);
            stranger.register(1, "AVRO", SCHEMA);
            stranger.guard("Basic cmVhZGVyOnNlOmNyZXQ=");
            refused(stranger, basic, "status 401: " + folder.resolve("registries") + " has no password or token");
            refused(
                    registry,
                    RegistryAccess.NONE,
                    "it answered with status 401: it wants a password or a token, and none is configured"
                            + " (registry.auth of the server, WATERWHEEL_REGISTRY_AUTH of a client and a gateway), Unauthorized");
            refused(
                    registry,
                    of(address + " basic reader:" + SECRET + "2"),
                    "status 401 to what " + folder.resolve("registries") + " says for it");
            registry.guard("Bearer " + SECRET);
            reads(registry, of(address + "\tbearer\t" + SECRET));
            reads(
                    registry,
                    RegistryAccess.ofEnvironment(
                            Map.of(RegistryAccess.VARIABLE, "env:OURS", "OURS", address + " bearer " + SECRET)::get));
        }
    }

    @Test
    void aCertificateIsTrustedByAFile() throws Exception {
        Path store = folder.resolve("registry.p12");
        Path pem = folder.resolve("registry.pem");
        keytool("-genkeypair -alias r -keyalg EC -dname CN=r -ext SAN=ip:127.0.0.1 -validity 2 -storepass secret"
                + " -keystore " + store);
        keytool("-exportcert -rfc -alias r -storepass secret -keystore " + store + " -file " + pem);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "secret".toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, "secret".toCharArray());
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(managers.getKeyManagers(), null, null);
        try (TestRegistry registry = new TestRegistry(tls)) {
            registry.register(1, "AVRO", SCHEMA);
            registry.guard("Bearer " + SECRET);
            String bearer = registry.address() + " bearer " + SECRET + "\n";
            String trust = registry.address() + " trust ";
            reads(registry, of(bearer + trust + pem));
            // What a store of Java's trusts are its certificates; a key's own is one where it is imported.
            Path trusted = folder.resolve("trusted.p12");
            keytool("-importcert -noprompt -alias t -storepass secret -keystore " + trusted + " -file " + pem);
            reads(registry, of(trust + trusted + " secret\n" + bearer));
            refused(registry, of(bearer), "it cannot be asked: ");
            refused(
                    registry,
                    of(bearer + trust + folder.resolve("none.pem")),
                    "the trusted certificates in " + folder.resolve("none.pem") + " cannot be used");
            refused(registry, of(bearer + trust + trusted + " wrong"), "the trusted certificates in " + trusted);
        }
    }

    private static void keytool(String words) throws Exception {
        List<String> command = new java.util.ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC"));
        command.addAll(List.of(words.split(" ", -1)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    @Test
    void aWrongLineIsNamedWithoutWhatItSays() {
        for (String wrong : List.of(
                "http://a basic " + SECRET.replace(":", ""),
                "http://a basic",
                "a basic r:" + SECRET,
                "http://a secret " + SECRET,
                "http://a bearer two " + SECRET,
                "http://a bearer " + SECRET + "\nhttp://a/ bearer " + SECRET)) {
            int line = wrong.indexOf('\n') < 0 ? 1 : 2;
            assertThatThrownBy(() -> RegistryAccess.of("registry.auth", "env:V", Map.of("V", wrong)::get))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("registry.auth: variable V, line " + line + ": ")
                    .hasMessageNotContaining("cret");
        }
        assertThatThrownBy(() -> RegistryAccess.of("registry.auth", "file:/nowhere/at/all", name -> null))
                .hasMessageStartingWith("registry.auth: /nowhere/at/all cannot be read");
        assertThatThrownBy(() -> RegistryAccess.ofEnvironment(Map.of(RegistryAccess.VARIABLE, "secret")::get))
                .isInstanceOf(WaterwheelException.class)
                .hasMessage("WATERWHEEL_REGISTRY_AUTH: expected none, env:VARIABLE or file:/PATH");
        assertThatThrownBy(() -> RegistryAccess.of("registry.auth", "env:NONE", name -> null))
                .hasMessage("registry.auth: the environment has no variable NONE");
    }
}
