package io.waterwheel.wire;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A caller's place in a distributed trace, the header {@code traceparent} of [W3C Trace Context]; in Flight the
 * metadata of the same name.
 *
 * @param traceId 32 hexadecimal digits, not all 0
 * @param parentId 16 hexadecimal digits, not all 0: the caller's span
 * @param flags 2 hexadecimal digits
 */
public record TraceParent(String traceId, String parentId, String flags) {
    /** Name of the header, in lower case as HTTP/2 and gRPC have it. */
    public static final String HEADER = "traceparent";

    /** Later versions may have more behind the flags. */
    private static final Pattern TEXT =
            Pattern.compile("(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", Pattern.DOTALL);

    private static final int MOST_LENGTH = 512;

    /**
     * Reads a header; as the specification demands, one that is none counts as not there.
     *
     * @return null where it is null or none
     */
    public static @Nullable TraceParent parse(@Nullable String header) {
        if (header == null || header.length() > MOST_LENGTH) {
            return null;
        }
        Matcher parts = TEXT.matcher(header);
        if (!parts.matches()
                || (parts.group(1).equals("00") && parts.group(5) != null)
                || isZero(parts.group(2))
                || isZero(parts.group(3))) {
            return null;
        }
        // Of the flags only the sampling one is known; the others are to be zero where a header is made.
        String flags = (Character.digit(parts.group(4).charAt(1), 16) & 1) == 1 ? "01" : "00";
        return new TraceParent(parts.group(2), parts.group(3), flags);
    }

    private static boolean isZero(String digits) {
        return digits.chars().allMatch(digit -> digit == '0');
    }

    /**
     * The same trace with another span as the parent.
     *
     * @param span any number but 0
     */
    public TraceParent child(long span) {
        return new TraceParent(traceId, String.format(Locale.ROOT, "%016x", span), flags);
    }

    /** As the header has it, in version 00. */
    @Override
    public String toString() {
        return "00-" + traceId + "-" + parentId + "-" + flags;
    }
}
