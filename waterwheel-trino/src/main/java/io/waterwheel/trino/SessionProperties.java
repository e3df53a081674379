package io.waterwheel.trino;

import com.google.inject.Inject;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.trino.plugin.base.session.PropertyMetadataUtil;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.session.PropertyMetadata;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a session may say by {@code SET SESSION waterwheel.NAME = VALUE}; without it, as the catalog file says. */
final class SessionProperties {
    private static final String QUERY_TIMEOUT = "query_timeout";
    private static final String SPLIT_SIZE = "split_size";
    private static final String MAX_SPLITS = "max_splits";
    private static final String DYNAMIC_FILTER_WAIT = "dynamic_filtering_wait_timeout";
    private static final String AT_LEAST = "at_least";

    /** Bytes; what is less is taken to be this. */
    private static final long LEAST_SPLIT = 1_000;

    private static final int MOST_SPLITS = 10_000;
    private static final Pattern DEMAND = Pattern.compile("([^=;]+)=(\\d{1,9}:\\d{1,18}(?:,\\d{1,9}:\\d{1,18})*)");

    private final List<PropertyMetadata<?>> all;

    @Inject
    SessionProperties(WaterwheelConfig config) {
        all = List.of(
                PropertyMetadataUtil.durationProperty(
                        QUERY_TIMEOUT,
                        "How long a split may take, the time in which Trino reads it included; 1 ms to 1 h",
                        config.getQueryTimeout(),
                        SessionProperties::requireTimeout,
                        false),
                PropertyMetadataUtil.dataSizeProperty(
                        SPLIT_SIZE, "Bytes of chunks that a split is to read", config.getSplitSize(), false),
                PropertyMetadata.integerProperty(
                        MAX_SPLITS,
                        "Most splits of one scan of a stream; 1 to 10,000",
                        config.getMaxSplits(),
                        SessionProperties::requireSplits,
                        false),
                PropertyMetadataUtil.durationProperty(
                        DYNAMIC_FILTER_WAIT,
                        "How long a split waits at most for a dynamic filter",
                        config.getDynamicFilterWait(),
                        SessionProperties::requireWait,
                        false),
                PropertyMetadata.stringProperty(
                        AT_LEAST,
                        "Positions below which all is to be seen: STREAM=PARTITION:OFFSET,..., several with ; between",
                        "",
                        SessionProperties::demands,
                        false));
    }

    List<PropertyMetadata<?>> all() {
        return all;
    }

    private static void requireTimeout(Duration timeout) {
        if (timeout.toMillis() < 1 || timeout.toMillis() > 3_600_000) {
            throw invalid(QUERY_TIMEOUT + ": expected 1 ms to 1 h, got " + timeout);
        }
    }

    private static void requireWait(Duration wait) {
        if (wait.toMillis() > 600_000) {
            throw invalid(DYNAMIC_FILTER_WAIT + ": expected at most 10 m, got " + wait);
        }
    }

    private static void requireSplits(int splits) {
        if (splits < 1 || splits > MOST_SPLITS) {
            throw invalid(MAX_SPLITS + ": expected 1 to " + MOST_SPLITS + ", got " + splits);
        }
    }

    private static TrinoException invalid(String message) {
        return new TrinoException(StandardErrorCode.INVALID_SESSION_PROPERTY, message);
    }

    static java.time.Duration queryTimeout(ConnectorSession session) {
        return session.getProperty(QUERY_TIMEOUT, Duration.class).toJavaTime();
    }

    static long splitBytes(ConnectorSession session) {
        return Math.max(
                LEAST_SPLIT, session.getProperty(SPLIT_SIZE, DataSize.class).toBytes());
    }

    static int maxSplits(ConnectorSession session) {
        return session.getProperty(MAX_SPLITS, Integer.class);
    }

    static long dynamicFilterWaitMillis(ConnectorSession session) {
        return session.getProperty(DYNAMIC_FILTER_WAIT, Duration.class).toMillis();
    }

    /**
     * By partition the position that the session demands of a stream; empty when it demands none.
     *
     * @param table the stream's name in Trino, in small letters
     */
    static Map<Integer, Long> atLeast(ConnectorSession session, String table) {
        return demands(session.getProperty(AT_LEAST, String.class)).getOrDefault(table, Map.of());
    }

    /** Reads {@code flights=0:1200,1:1400;aircraft=0:7}. */
    private static Map<String, Map<Integer, Long>> demands(String text) {
        Map<String, Map<Integer, Long>> demands = new HashMap<>();
        if (text.isBlank()) {
            return demands;
        }
        for (String part : text.split(";", -1)) {
            Matcher demand = DEMAND.matcher(part.strip());
            if (!demand.matches()) {
                throw invalid(AT_LEAST + ": expected STREAM=PARTITION:OFFSET,..., got '" + part + "'");
            }
            Map<Integer, Long> positions = new HashMap<>();
            for (String position : demand.group(2).split(",", -1)) {
                int colon = position.indexOf(':');
                positions.put(
                        Integer.valueOf(position.substring(0, colon)), Long.valueOf(position.substring(colon + 1)));
            }
            if (demands.put(demand.group(1).strip().toLowerCase(Locale.ENGLISH), positions) != null) {
                throw invalid(AT_LEAST + ": stream " + demand.group(1) + " is named twice");
            }
        }
        return demands;
    }
}
