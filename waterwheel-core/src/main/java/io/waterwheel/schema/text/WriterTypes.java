package io.waterwheel.schema.text;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.stream.Stream;

/**
 * The types by which records in a binary format are written. Exactly one of a schema, a registry and a descriptor, or
 * none where the format needs none.
 *
 * @param schema of all records: Avro's, as JSON; else empty
 * @param registry the address of a schema registry, where each record brings the number of its schema along; else empty
 * @param descriptor a descriptor set of Protocol Buffers, in base64; else empty
 * @param message the full name of the type in it; empty without a descriptor
 */
public record WriterTypes(String schema, String registry, String descriptor, String message) {
    /** Of text and of tuple blocks. */
    public static final WriterTypes NONE = new WriterTypes("", "", "", "");

    /** Characters of a schema, and of a descriptor set in base64. */
    public static final int MOST_CHARACTERS = 200_000;

    private static final int LONGEST_NAME = 1_000;

    public WriterTypes {
        if (Stream.of(schema, registry, descriptor)
                        .filter(one -> !one.isEmpty())
                        .count()
                > 1) {
            throw new IllegalArgumentException("records: expected one of a schema, a registry and a descriptor");
        }
        if (descriptor.isEmpty() != message.isEmpty()) {
            throw new IllegalArgumentException("records: descriptor-file and message go together");
        }
        if (schema.length() > MOST_CHARACTERS || descriptor.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException("records: expected a schema, or a descriptor in base64, of at most "
                    + MOST_CHARACTERS + " characters, got " + Math.max(schema.length(), descriptor.length()));
        }
        if (message.length() > LONGEST_NAME) {
            throw new IllegalArgumentException("message: expected at most " + LONGEST_NAME + " characters");
        }
        if (!registry.isEmpty() && !isAddress(registry)) {
            throw new IllegalArgumentException("registry: expected an address such as http://registry:8081, without a"
                    + " user, a question mark or a fragment, got '"
                    + registry.replaceFirst("^.*@", "...@").replaceFirst("[?#].*", "?...") + "'");
        }
    }

    /** Of Avro. */
    public WriterTypes(String schema, String registry) {
        this(schema, registry, "", "");
    }

    private static boolean isAddress(String text) {
        try {
            URI uri = new URI(text);
            return text.length() <= LONGEST_NAME
                    && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null;
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
