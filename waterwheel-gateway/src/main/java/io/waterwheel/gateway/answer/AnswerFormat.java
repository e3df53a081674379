package io.waterwheel.gateway.answer;

import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.MediaTypes;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The forms that an answer may have; the first is that of clients that take everything. */
public enum AnswerFormat {
    /** One object: fields, rows, and the verdict last. */
    JSON("application/json"),
    /** One object a line; the verdict is in the trailer. */
    NDJSON("application/x-ndjson"),
    /** A line of names, then one a row; the verdict is in the trailer. */
    CSV("text/csv"),
    /** An Arrow IPC stream; the verdict is in the trailer. */
    ARROW("application/vnd.apache.arrow.stream"),
    /** A Parquet file; the verdict is in its footer. */
    PARQUET("application/vnd.apache.parquet");

    private final String type;

    AnswerFormat(String type) {
        this.type = type;
    }

    /** The media type. */
    public String type() {
        return type;
    }

    /** All media types. */
    public static List<String> types() {
        return Arrays.stream(values()).map(AnswerFormat::type).toList();
    }

    /**
     * The form that a client asks for.
     *
     * @param format the parameter, which counts more than the header; null where it is not given
     * @param accept the header {@code Accept}; null where there is none
     * @throws HttpFailure when it takes none
     */
    public static AnswerFormat of(@Nullable String format, @Nullable String accept) {
        if (format != null) {
            for (AnswerFormat one : values()) {
                if (one.name().toLowerCase(Locale.ROOT).equals(format)) {
                    return one;
                }
            }
            throw HttpFailure.of(
                    HttpCode.NOT_ACCEPTABLE,
                    "format: expected json, ndjson, csv, arrow or parquet, got '" + format + "'",
                    "format");
        }
        int best = MediaTypes.best(accept, types());
        if (best < 0) {
            throw HttpFailure.of(
                    HttpCode.NOT_ACCEPTABLE,
                    "Accept: expected one of " + types() + " or a range that holds one, got '" + accept + "'",
                    "Accept");
        }
        return values()[best];
    }
}
