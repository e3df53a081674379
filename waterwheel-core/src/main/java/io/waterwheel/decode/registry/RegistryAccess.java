package io.waterwheel.decode.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * How schema registries let this process in, by their addresses. A text of one line each, words with spaces between:
 *
 * <pre>{@code
 * # a registry of ours, and one of others
 * https://registry.example:8081  basic  reader:secret
 * https://registry.example:8081  trust  /etc/waterwheel/ca.pem
 * https://schemas.example        bearer token
 * }</pre>
 *
 * <p>A secret is sent to the address that its line names and to no other: a stream's definition chooses the address of
 * its registry. Neither {@link #toString} nor an error has a secret. Immutable.
 */
public final class RegistryAccess {
    /** To registries that ask for nothing. */
    public static final RegistryAccess NONE = new RegistryAccess(Map.of(), Map.of(), "");

    /** The variable of a client's environment that says where the text is. */
    public static final String VARIABLE = "WATERWHEEL_REGISTRY_AUTH";

    private static final long MOST_BYTES = 1 << 20;
    private static final byte[] PEM = "-----BEGIN".getBytes(UTF_8);

    private record Trust(Path file, String password) {
        @Override
        public String toString() {
            return file.toString();
        }
    }

    /** By address the value of the header {@code Authorization}. */
    private final Map<String, String> authorizations;

    private final Map<String, Trust> trusted;
    /** Where the text is, for messages. */
    private final String source;

    private RegistryAccess(Map<String, String> authorizations, Map<String, Trust> trusted, String source) {
        this.authorizations = authorizations;
        this.trusted = trusted;
        this.source = source;
    }

    /** An address as it is compared: without a slash at its end. */
    static String bare(String address) {
        return address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
    }

    /**
     * Reads the text where a setting says that it is.
     *
     * @param setting none, env:VARIABLE or file:/PATH
     * @param environment of the process
     * @throws IllegalArgumentException when it is not there, or is none; the message says what and where
     */
    private static RegistryAccess of(String setting, UnaryOperator<@Nullable String> environment) {
        if (setting.equals("none")) {
            return NONE;
        }
        if (setting.startsWith("env:")) {
            String variable = setting.substring("env:".length());
            String text = environment.apply(variable);
            if (text == null) {
                throw new IllegalArgumentException("the environment has no variable " + variable);
            }
            return parse("variable " + variable, text);
        }
        if (!setting.startsWith("file:")) {
            throw new IllegalArgumentException("expected none, env:VARIABLE or file:/PATH");
        }
        Path file = Path.of(setting.substring("file:".length()));
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new IllegalArgumentException(file + ": expected at most " + MOST_BYTES + " bytes");
            }
            return parse(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: " + e, e);
        }
    }

    /**
     * As a setting says, by its name.
     *
     * @throws IllegalArgumentException as {@link #of}; the message begins with the name
     */
    public static RegistryAccess of(String name, String setting, UnaryOperator<@Nullable String> environment) {
        try {
            return of(setting, environment);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }

    /**
     * As the environment of a client's process says, by {@link #VARIABLE}; {@link #NONE} where it says nothing.
     *
     * @throws WaterwheelException code BAD_CONFIGURATION when the text is not there, or is none
     */
    public static RegistryAccess ofEnvironment(UnaryOperator<@Nullable String> environment) {
        String setting = environment.apply(VARIABLE);
        try {
            return setting == null ? NONE : of(VARIABLE, setting, environment);
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Reads the text.
     *
     * @param source what messages call it
     * @throws IllegalArgumentException when a line is none; the message has its number, and nothing of it
     */
    static RegistryAccess parse(String source, String text) {
        Map<String, String> authorizations = new HashMap<>();
        Map<String, Trust> trusted = new HashMap<>();
        int number = 0;
        for (String line : text.lines().map(String::strip).toList()) {
            number++;
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] words = line.split("\\s+", 3);
            String at = source + ", line " + number + ": ";
            if (words.length < 3 || !words[0].matches("https?://\\S+")) {
                throw new IllegalArgumentException(at + "expected a registry's address, then 'basic USER:PASSWORD',"
                        + " 'bearer TOKEN' or 'trust FILE [PASSWORD]'");
            }
            String address = bare(words[0]);
            boolean first =
                    switch (words[1]) {
                        case "basic" -> {
                            if (words[2].indexOf(':') < 0) {
                                throw new IllegalArgumentException(at + "expected USER:PASSWORD behind basic");
                            }
                            yield authorizations.put(
                                            address,
                                            "Basic " + Base64.getEncoder().encodeToString(words[2].getBytes(UTF_8)))
                                    == null;
                        }
                        case "bearer" -> {
                            if (!words[2].matches("[\\x21-\\x7e]+")) {
                                throw new IllegalArgumentException(at + "expected a token of one word behind bearer");
                            }
                            yield authorizations.put(address, "Bearer " + words[2]) == null;
                        }
                        case "trust" -> {
                            String[] parts = words[2].split("\\s+", 2);
                            yield trusted.put(address, new Trust(Path.of(parts[0]), parts.length > 1 ? parts[1] : ""))
                                    == null;
                        }
                        default ->
                            throw new IllegalArgumentException(
                                    at + "expected basic, bearer or trust behind the address");
                    };
            if (!first) {
                throw new IllegalArgumentException(at + "there is another line of this kind for the address");
            }
        }
        return new RegistryAccess(Map.copyOf(authorizations), Map.copyOf(trusted), source);
    }

    /** The value of the header {@code Authorization}; null where none is to be sent. */
    @Nullable
    String authorization(String address) {
        return authorizations.get(address);
    }

    /** What to do where a registry refuses a question. */
    String advice(String address) {
        if (authorizations.containsKey(address)) {
            return " to what " + source + " says for it";
        }
        return source.isEmpty()
                ? ": it wants a password or a token, and none is configured (registry.auth of the server, " + VARIABLE
                        + " of a client and a gateway)"
                : ": " + source + " has no password or token for this address";
    }

    /**
     * Sets what certificates are trusted.
     *
     * @throws IllegalArgumentException when the file of a line cannot be used; the message names it
     */
    void trust(String address, HttpClient.Builder builder) {
        Trust trust = trusted.get(address);
        if (trust == null) {
            return;
        }
        try {
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(store(trust));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            builder.sslContext(context);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException(
                    "the trusted certificates in " + trust.file + " cannot be used: " + e.getMessage(), e);
        }
    }

    /** Certificates in PEM, or a store of Java's. */
    private static KeyStore store(Trust trust) throws GeneralSecurityException, IOException {
        File file = trust.file.toFile();
        byte[] begin;
        try (InputStream in = Files.newInputStream(trust.file)) {
            begin = in.readNBytes(PEM.length);
        }
        if (!Arrays.equals(begin, PEM)) {
            return KeyStore.getInstance(file, trust.password.toCharArray());
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(trust.file)) {
            int number = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("trusted-" + number++, certificate);
            }
        }
        return store;
    }

    @Override
    public String toString() {
        return "access to registries by " + (source.isEmpty() ? "nothing" : source);
    }
}
