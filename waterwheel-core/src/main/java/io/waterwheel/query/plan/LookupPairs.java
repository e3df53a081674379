package io.waterwheel.query.plan;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyIntervals;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.query.KeyTime;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.rows.LookupSlots;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The pairs of a lookup in terms of the stream.
 *
 * @param keys sorted and disjoint; what lies outside cannot match
 * @param times in milliseconds, outside of which nothing can match; null when nothing can
 */
record LookupPairs(
        LookupSlots slots, List<KeyInterval> keys, @Nullable TimeInterval times) {
    /** A pair that a row can match. */
    @SuppressWarnings("ArrayRecordComponent") // compared by compare alone
    private record Slot(long key, byte @Nullable [] text, long time) {
        int compare(Slot other) {
            int compared = Long.compare(key, other.key);
            if (compared == 0 && text != null) {
                compared = Arrays.compareUnsigned(text, Objects.requireNonNull(other.text));
            }
            return compared != 0 ? compared : Long.compare(time, other.time);
        }
    }

    /**
     * Reads the pairs.
     *
     * @throws WaterwheelException of kind USER when the key is not one field
     * @throws IllegalArgumentException when a pair's key is no value of it
     */
    static LookupPairs of(ResultSpec.Lookup lookup, Schema schema, KeyScheme scheme) {
        int keyField = schema.keyField();
        if (keyField < 0) {
            throw new WaterwheelException(
                    ErrorCode.BAD_QUERY, "at: the stream's key is not one field, and pairs name values of one");
        }
        Field key = schema.fields().get(keyField);
        TimestampUnit unit =
                schema.fields().get(schema.indexOf(schema.timeField())).type().resolution();
        List<KeyTime> pairs = lookup.pairs();
        @Nullable Slot[] ofPair = new Slot[pairs.size()];
        List<Slot> sorted = new ArrayList<>();
        List<KeyInterval> keys = new ArrayList<>();
        for (int p = 0; p < ofPair.length; p++) {
            KeyTime pair = pairs.get(p);
            Slot slot = slot(pair, key, scheme, time(pair.time(), unit, lookup.asOf()));
            if (slot != null) {
                ofPair[p] = slot;
                sorted.add(slot);
                keys.add(new KeyInterval(slot.key(), slot.key()));
            }
        }
        sorted.sort(Slot::compare);
        List<Slot> slots = new ArrayList<>(sorted.size());
        for (Slot slot : sorted) {
            if (slots.isEmpty() || slots.get(slots.size() - 1).compare(slot) != 0) {
                slots.add(slot);
            }
        }
        int[] slotOf = new int[ofPair.length];
        for (int p = 0; p < slotOf.length; p++) {
            Slot slot = ofPair[p];
            slotOf[p] = slot == null ? -1 : Collections.binarySearch(slots, slot, Slot::compare);
        }
        boolean text = key.type().variable();
        byte[][] texts = text
                ? slots.stream()
                        .map(slot -> Objects.requireNonNull(slot.text()))
                        .toArray(byte[][]::new)
                : null;
        long[] times = slots.stream().mapToLong(Slot::time).toArray();
        LookupSlots asked = new LookupSlots(
                slots.stream().mapToLong(Slot::key).toArray(),
                texts,
                times,
                TimestampUnit.MILLISECONDS.nanos() / unit.nanos(),
                lookup.asOf(),
                slotOf);
        return new LookupPairs(asked, KeyIntervals.merged(keys), bounds(times, unit, lookup.asOf()));
    }

    private static @Nullable TimeInterval bounds(long[] times, TimestampUnit unit, boolean asOf) {
        if (times.length == 0) {
            return null;
        }
        long least = Arrays.stream(times).min().getAsLong();
        long greatest = Arrays.stream(times).max().getAsLong();
        return new TimeInterval(asOf ? Long.MIN_VALUE : unit.toMillis(least), unit.toMillis(greatest));
    }

    private static @Nullable Slot slot(KeyTime pair, Field key, KeyScheme scheme, @Nullable Long time) {
        long number;
        try {
            number = scheme.parse(pair.key());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("at: " + e.getMessage(), e);
        }
        return time == null
                ? null
                : new Slot(number, key.type().variable() ? bytes(pair.key(), key.type()) : null, time);
    }

    /** In the units of the field; null when no row's time can match. */
    private static @Nullable Long time(Instant time, TimestampUnit unit, boolean asOf) {
        try {
            long units = unit.units(time);
            return asOf || unit.instant(units).equals(time) ? units : null;
        } catch (DateTimeException e) {
            return asOf && time.isAfter(Instant.EPOCH) ? Long.MAX_VALUE : null;
        }
    }

    private static byte[] bytes(String value, FieldType type) {
        byte[] ascii = value.getBytes(StandardCharsets.UTF_8);
        if (type.hasSixteenBytes()) {
            byte[] sixteen = new byte[FieldType.SIXTEEN];
            type.parseSixteen(ascii, 0, ascii.length, sixteen);
            return sixteen;
        }
        if (type.isDecimal()) {
            return Decimals.bytes(Decimals.value(value), type.precision(), type.scale());
        }
        return type == FieldType.BYTES ? Base64.getDecoder().decode(value) : ascii;
    }
}
