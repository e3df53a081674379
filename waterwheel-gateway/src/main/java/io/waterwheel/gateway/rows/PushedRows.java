package io.waterwheel.gateway.rows;

import io.waterwheel.decode.RefusalKind;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one request, decoded and checked.
 *
 * @param tuples of a stream of tuple blocks; empty for others
 * @param records as they go into the topic: the good ones of a stream of lines, and what is to become dead letters
 * @param rows good ones, in one of both
 * @param rejected others
 * @param kinds why, of all of those
 * @param reasons of the first of those
 */
public record PushedRows(
        TupleBlock tuples,
        List<byte[]> records,
        int rows,
        int rejected,
        Map<RefusalKind, Integer> kinds,
        List<Reason> reasons) {
    /** Longest row: Kafka takes records of about a megabyte. */
    public static final int MOST_ROW_BYTES = 512 << 10;

    /** Reasons that are told of one request. */
    public static final int MOST_REASONS = 100;

    /**
     * Why a row is no tuple.
     *
     * @param line of the body, from 1; of a row that spans several the first. Of a tuple block 1, of Arrow the row's
     *     number, from 1
     * @param element of the array of JSON that the body is, from 1; 0 where it is none
     * @param field whose value it is; null where that is not known
     */
    public record Reason(int line, int element, @Nullable String field, String reason) {}

    /**
     * What is told of rows once they are stored; it does not hold them.
     *
     * @param rows good ones
     * @param rejected others
     * @param reasons of the first of those
     */
    public record Counts(int rows, int rejected, List<Reason> reasons) {
        /** Without what takes long to tell. */
        public Counts withoutReasons() {
            return new Counts(rows, rejected, List.of());
        }
    }

    /** How many there are. */
    public Counts counts() {
        return new Counts(rows, rejected, reasons);
    }

    /** The field that a reason names, as the decoders begin: with its name. Null where none is named. */
    public static @Nullable String fieldOf(String reason, Schema schema) {
        for (Field field : schema.fields()) {
            if (reason.startsWith(field.name() + ":") || reason.endsWith(" lacks " + field.name())) {
                return field.name();
            }
        }
        return null;
    }
}
