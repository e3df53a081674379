package io.waterwheel.gateway.http;

import io.waterwheel.error.ErrorCode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a URI or a form. Pure functions. */
public final class Parameters {
    /** Of one request: more are no request of ours. */
    private static final int MOST = 10_100;

    private Parameters() {}

    /**
     * Decodes {@code a=1&b=two+words}.
     *
     * @throws HttpFailure when the text is none
     */
    public static Map<String, List<String>> decode(@Nullable String encoded) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        if (encoded == null || encoded.isEmpty()) {
            return parameters;
        }
        int count = 0;
        for (String part : encoded.split("&", -1)) {
            if (part.isEmpty()) {
                continue;
            }
            if (++count > MOST) {
                throw HttpFailure.bad(
                        ErrorCode.BAD_REQUEST, "expected at most " + MOST + " parameters, got more", null, null);
            }
            int equals = part.indexOf('=');
            String name = text(equals < 0 ? part : part.substring(0, equals));
            parameters
                    .computeIfAbsent(name, unused -> new ArrayList<>())
                    .add(equals < 0 ? "" : text(part.substring(equals + 1)));
        }
        return parameters;
    }

    private static String text(String encoded) {
        try {
            String text = URLDecoder.decode(encoded, StandardCharsets.UTF_8);
            // The decoder puts this in place of bytes that are no UTF-8.
            if (text.indexOf('\uFFFD') >= 0 && !encoded.toUpperCase(Locale.ROOT).contains("%EF%BF%BD")) {
                throw new IllegalArgumentException("'" + text + "' is not UTF-8");
            }
            return text;
        } catch (IllegalArgumentException e) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST, "a parameter is not encoded as forms are: " + e.getMessage(), null, e);
        }
    }

    public static List<String> both(List<String> first, List<String> second) {
        List<String> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }
}
