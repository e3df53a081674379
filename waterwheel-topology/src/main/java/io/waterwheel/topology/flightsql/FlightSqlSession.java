package io.waterwheel.topology.flightsql;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.NearestName;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.topology.rpc.FlightExtension;
import io.waterwheel.topology.sql.DemandText;
import io.waterwheel.topology.sql.StatementHints;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What holds for the statements of one client: read your writes, time-outs, incomplete answers. A client says it by
 * headers ({@code x-waterwheel-partial: allow}; JDBC sends what its URL has) or by session options, which travel in a
 * cookie with every further call: servers keep nothing, and a session outlives them. Headers win. Immutable.
 */
final class FlightSqlSession {
    static final String TIMEOUT = "timeout";
    static final String PARTIAL = "partial";
    static final String AT_LEAST = "at_least";
    static final String TIMESTAMPS = "timestamps";
    static final String TIME_UNIT = "time_unit";
    /** Options, by the names that SET and SetSessionOptions know. */
    static final List<String> NAMES = List.of(AT_LEAST, PARTIAL, TIME_UNIT, TIMEOUT, TIMESTAMPS);

    private static final String HEADER = "x-waterwheel-";
    private static final String COOKIE = "waterwheel";
    /** The cookie that makes a client forget the session. */
    static final String END = COOKIE + "=; Max-Age=0";

    /** Of all options in a cookie: headers of a call have 16 KiB. */
    private static final int MOST_CHARACTERS = 6000;

    private final Map<String, String> options;

    private FlightSqlSession(Map<String, String> options) {
        this.options = options;
    }

    /** The session that a call belongs to. */
    static FlightSqlSession of(FlightExtension.Headers headers) {
        FlightSqlSession session = new FlightSqlSession(new TreeMap<>());
        String cookie = cookie(headers.get("cookie"));
        if (cookie != null) {
            session = session.withAll(decoded(cookie));
        }
        for (String header : headers.names()) {
            String value = header.startsWith(HEADER) ? headers.get(header) : null;
            if (value != null) {
                session = session.with(header.substring(HEADER.length()).replace('-', '_'), value);
            }
        }
        return session;
    }

    private static @Nullable String cookie(@Nullable String header) {
        if (header == null) {
            return null;
        }
        for (String one : header.split(";", -1)) {
            String stripped = one.strip();
            if (stripped.startsWith(COOKIE + "=")) {
                return stripped.substring(COOKIE.length() + 1).replace("\"", "");
            }
        }
        return null;
    }

    private static Map<String, String> decoded(String cookie) {
        Map<String, String> options = new TreeMap<>();
        try {
            String text = new String(Base64.getUrlDecoder().decode(cookie), StandardCharsets.UTF_8);
            for (String line : text.lines().toList()) {
                int equals = line.indexOf('=');
                options.put(line.substring(0, Math.max(0, equals)), line.substring(equals + 1));
            }
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_REQUEST, "the cookie " + COOKIE + " is none of this server", e);
        }
        return options;
    }

    /** The cookie that a client is to send from now on. */
    String cookie() {
        StringBuilder text = new StringBuilder();
        options.forEach(
                (name, value) -> text.append(name).append('=').append(value).append('\n'));
        return COOKIE + "="
                + Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private FlightSqlSession withAll(Map<String, String> values) {
        FlightSqlSession session = this;
        for (Map.Entry<String, String> one : values.entrySet()) {
            session = session.with(one.getKey(), one.getValue());
        }
        return session;
    }

    /**
     * The same with another value of an option; an empty one takes it away.
     *
     * @throws WaterwheelException code BAD_REQUEST, when there is no such option, or it cannot have the value
     */
    FlightSqlSession with(String option, String value) {
        String name = option.toLowerCase(Locale.ROOT);
        Map<String, String> changed = new TreeMap<>(options);
        if (!NAMES.contains(name)) {
            String near = NearestName.question(name, NAMES);
            throw bad("there is no option '" + shortened(option) + "'"
                    + (near.isEmpty() ? "; expected one of " + String.join(", ", NAMES) : near));
        }
        String stripped = value.strip();
        if (stripped.isEmpty()) {
            changed.remove(name);
            return new FlightSqlSession(changed);
        }
        switch (name) {
            case TIMEOUT -> {
                Duration unused = seconds(stripped);
            }
            case PARTIAL -> oneOf(name, stripped, "fail", "allow");
            case TIMESTAMPS -> oneOf(name, stripped, "zoned", "naive");
            case TIME_UNIT -> oneOf(name, stripped, "ns", "own");
            default -> {
                Map<String, Map<Integer, Long>> unused = positions(stripped);
            }
        }
        changed.put(name, stripped.replaceAll("\\s", ""));
        int length = changed.values().stream().mapToInt(String::length).sum();
        if (length > MOST_CHARACTERS) {
            throw bad("the session's options have " + length + " characters, expected at most " + MOST_CHARACTERS
                    + "; name fewer positions");
        }
        return new FlightSqlSession(changed);
    }

    private static String shortened(String text) {
        return text.length() <= 64 ? text : text.substring(0, 64) + "...";
    }

    private static WaterwheelException bad(String what) {
        return new WaterwheelException(ErrorCode.BAD_REQUEST, "session: " + what);
    }

    private static void oneOf(String name, String value, String one, String other) {
        if (!value.equals(one) && !value.equals(other)) {
            throw bad(name + ": expected " + one + " or " + other + ", got '" + shortened(value) + "'");
        }
    }

    private static Duration seconds(String value) {
        try {
            return StatementHints.seconds(value);
        } catch (IllegalArgumentException e) {
            throw bad(TIMEOUT + ": " + e.getMessage());
        }
    }

    /** {@code STREAM:PARTITION:OFFSET}, divided by commas. */
    private static Map<String, Map<Integer, Long>> positions(String value) {
        try {
            return DemandText.parse(value);
        } catch (IllegalArgumentException e) {
            throw bad(AT_LEAST + ": " + e.getMessage());
        }
    }

    /** By name, the options that have a value. */
    Map<String, String> options() {
        return Map.copyOf(options);
    }

    /** The statement with what holds in this session; its demands are of the streams that it asks. */
    Statement over(Statement statement, java.util.Collection<String> streams) {
        String timeout = options.get(TIMEOUT);
        String atLeast = options.get(AT_LEAST);
        Map<String, Map<Integer, Long>> demands = new TreeMap<>(statement.atLeast());
        if (atLeast != null) {
            positions(atLeast).forEach((stream, positions) -> {
                if (streams.contains(stream)) {
                    demands.put(stream, positions);
                }
            });
        }
        return new Statement(
                statement.sql(),
                statement.timeout() == null && timeout != null ? seconds(timeout) : statement.timeout(),
                statement.allowPartial() || "allow".equals(options.get(PARTIAL)),
                demands,
                statement.parameters());
    }

    /**
     * Whether timestamps name their zone. The JDBC driver's {@code getObject} fails of those that do (arrow-java issue
     * 787), so its clients get them without, unless they ask; they are in UTC all the same.
     */
    boolean zoned(FlightExtension.Headers headers) {
        String asked = options.get(TIMESTAMPS);
        return asked == null ? !isOfJava(headers) : asked.equals("zoned");
    }

    /**
     * Whether times are bound in milliseconds. The JDBC driver writes those into a parameter of any unit (arrow-java
     * issue 838), so Java's clients are told of no other.
     */
    static boolean bindsMillis(FlightExtension.Headers headers) {
        return isOfJava(headers);
    }

    private static boolean isOfJava(FlightExtension.Headers headers) {
        String agent = headers.get("user-agent");
        return agent != null && agent.contains("grpc-java");
    }

    /** Whether timestamps count nanoseconds; without the option they count what their fields do. */
    boolean nanos() {
        return "ns".equals(options.get(TIME_UNIT));
    }
}
