package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.RecordsSource;
import io.waterwheel.decode.RecordFacts;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What Kafka has of the records of a topic beside their values, as columns: their times and keys. One thread. */
public final class KafkaColumns {
    /** Of rows that are no records. */
    static final KafkaColumns NONE = new KafkaColumns(null, null, null);

    private static final String TIME = "kafka.timestamp";
    private static final String KEY = "kafka.key";

    private final @Nullable ColumnSample time;
    private final @Nullable ColumnSample key;
    /** If one is too long for a stream, this is. */
    private final byte @Nullable [] longestKey;

    private KafkaColumns(@Nullable ColumnSample time, @Nullable ColumnSample key, byte @Nullable [] longestKey) {
        this.time = time;
        this.key = key;
        this.longestKey = longestKey;
    }

    /**
     * The columns: times where all records have one, and keys where all have one that is text.
     *
     * @param records how many were looked at
     * @param keys of those that have one
     * @param times of those that have one
     */
    public static KafkaColumns of(long records, List<byte[]> keys, List<Instant> times) {
        ColumnSample time = new ColumnSample("", CsvStyle.PLAIN);
        time.from = TIME;
        times.forEach(at -> time.add(at.toString(), true));
        ColumnSample key = new ColumnSample("", CsvStyle.PLAIN);
        key.from = KEY;
        boolean text = keys.stream().allMatch(bytes -> bytes.length > 0 && RecordsSource.isText(bytes));
        for (byte[] bytes : text ? keys : List.<byte[]>of()) {
            key.addJson(new String(bytes, StandardCharsets.UTF_8), true);
        }
        return new KafkaColumns(
                records > 0 && time.values == records && time.isTime() ? time : null,
                records > 0 && key.values == records ? key : null,
                keys.stream()
                        .max(Comparator.comparingInt(bytes -> bytes.length))
                        .orElse(null));
    }

    /**
     * The time: what a person names; else that of the values, or Kafka's where not all values have one.
     *
     * @param look at the records
     */
    ColumnSample time(FileLook look, List<ColumnSample> values) {
        FileFacts facts = look.facts;
        name(time, "kafka_timestamp", values);
        name(key, "kafka_key", values);
        ColumnSample best = facts.time == null ? ColumnRoles.time(values) : null;
        if (time != null && facts.time == null && (best == null || best.lacksSome())) {
            return time;
        }
        return ColumnRoles.time(look, with(values, facts.time), facts.time);
    }

    /** A comment that says which column is not the time, since some values lack it; mostly empty. */
    String insteadOf(ColumnSample chosen, List<ColumnSample> values) {
        ColumnSample best = chosen.equals(time) ? ColumnRoles.time(values) : null;
        return best == null || !best.lacksSome() ? "" : "   # not all records have " + best.name;
    }

    /**
     * The records' keys, where they can be the key, and nothing in the values is called like one.
     *
     * @param keys of the values, the likeliest first
     */
    @Nullable
    ColumnSample key(List<ColumnSample> keys) {
        boolean better = !keys.isEmpty() && ColumnRoles.isLikeKey(keys.get(0));
        return key != null
                        && !better
                        && key.divides()
                        && !key.isTime()
                        && key.timePatterns().isEmpty()
                ? key
                : null;
    }

    /** The columns of the values, and one of Kafka's that a person names. */
    List<ColumnSample> with(List<ColumnSample> values, @Nullable String named) {
        List<ColumnSample> all = new ArrayList<>(values);
        for (ColumnSample column : new @Nullable ColumnSample[] {time, key}) {
            if (column != null && named != null && isNamed(column, named)) {
                all.add(column);
            }
        }
        return all;
    }

    private static boolean isNamed(ColumnSample column, String named) {
        return column.name.equals(named) || column.from.equals(named);
    }

    private static void name(@Nullable ColumnSample column, String called, List<ColumnSample> values) {
        String name = called;
        for (int n = 2; column != null && isTaken(name, values); n++) {
            name = called + "_" + n;
        }
        if (column != null) {
            column.name = name;
        }
    }

    private static boolean isTaken(String name, List<ColumnSample> values) {
        return values.stream()
                .anyMatch(column -> column.name.toLowerCase(Locale.ROOT).equals(name));
    }

    /** Whether the keys are one of the columns. */
    boolean hasKey(List<ColumnSample> used) {
        return key != null && used.contains(key);
    }

    /** The fields that the others could be; empty where there are none. */
    String others(List<ColumnSample> used) {
        List<String> fields = new ArrayList<>();
        for (ColumnSample column : new @Nullable ColumnSample[] {time, key}) {
            if (column != null && !used.contains(column)) {
                fields.add("{name: " + column.name + ", type: " + column.type().schemaName() + ", from: " + column.from
                        + "}");
            }
        }
        return String.join(" and ", fields);
    }

    /** Stands for what Kafka has of any of the records. */
    RecordFacts facts() {
        return RecordFacts.unwritten(longestKey == null ? null : ByteBuffer.wrap(longestKey));
    }
}
