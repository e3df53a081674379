package io.waterwheel.gateway.keyed;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request with rows under a key, as it can be sent on to another gateway. */
public final class Letter {
    /** The parameter that a gateway sends a request on with. Those of earlier releases refuse it. */
    public static final String PARAMETER = "sent-on";

    /** A header of the answer, with the claim: the request was taken. */
    public static final String TAKEN = "Waterwheel-Lanes";

    /**
     * What another gateway says with it. It has the hashes of key and body, since a header may change on the way.
     *
     * @param claim of the gateway that it takes to have the lanes
     * @param untilMillis when the rows may be stored, since 1970
     * @param key of the rows
     * @param content of the body, as {@code key} is of the key
     */
    public record Sender(long claim, long untilMillis, Digest key, Digest content) {
        private static final int PARTS = 6;
        private static final int HEX = 16;

        /**
         * Reads the parameter.
         *
         * @throws IllegalArgumentException where it is none
         */
        public static Sender parse(String parameter) {
            String[] parts = parameter.split("\\.", -1);
            if (parts.length == PARTS) {
                try {
                    return new Sender(
                            hex(parts[0]),
                            hex(parts[1]),
                            new Digest(hex(parts[2]), hex(parts[3])),
                            new Digest(hex(parts[4]), hex(parts[5])));
                } catch (NumberFormatException e) {
                    // as any other
                }
            }
            throw new IllegalArgumentException(
                    PARAMETER + ": gateways alone send this, as " + PARTS + " numbers, got '" + parameter + "'");
        }

        private static long hex(String digits) {
            return Long.parseUnsignedLong(digits, HEX);
        }

        /** The claim, as the answer has it. */
        public String taken() {
            return Long.toHexString(claim);
        }

        /** As the parameter has it. */
        public String parameter() {
            return String.join(
                    ".",
                    taken(),
                    Long.toHexString(untilMillis),
                    Long.toHexString(key.high()),
                    Long.toHexString(key.low()),
                    Long.toHexString(content.high()),
                    Long.toHexString(content.low()));
        }
    }

    private final String path;
    private final boolean allow;
    private final Map<String, String> headers;
    private final byte[] body;
    private final @Nullable Sender sender;

    /**
     * A request.
     *
     * @param path as it came
     * @param allow whether good rows are stored where others are no tuples
     * @param headers that say how the rows are to be read
     * @param body as it came; not copied
     * @param sender who has sent it on; null: it came from a client
     */
    public Letter(String path, boolean allow, Map<String, String> headers, byte[] body, @Nullable Sender sender) {
        this.path = path;
        this.allow = allow;
        this.headers = headers;
        this.body = body;
        this.sender = sender;
    }

    String path() {
        return path;
    }

    boolean allow() {
        return allow;
    }

    Map<String, String> headers() {
        return headers;
    }

    byte[] body() {
        return body;
    }

    /** Who has sent it on; null: it came from a client. */
    public @Nullable Sender sender() {
        return sender;
    }
}
