package io.waterwheel.decode;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.KafkaField;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sets the fields of a row that are of Kafka, not of the record's value. Keys and headers are text that becomes a value
 * as a CSV value does, or bytes as they are. One thread.
 */
final class FactFields {
    private record Source(int field, KafkaField of) {}

    private final RowAppender row;
    private final ValueParser values;
    private final List<Source> sources = new ArrayList<>();
    private final boolean[] isFact;
    private byte[] copy = {};

    FactFields(RowAppender row, Schema schema) {
        this.row = row;
        RecordText text = schema.text();
        // Marks of CSV say nothing of keys and headers.
        this.values = new ValueParser(row, RecordText.DEFAULT.withTimes(text.zone(), text.times()));
        this.isFact = new boolean[schema.fields().size()];
        for (int f = 0; f < isFact.length; f++) {
            KafkaField of = KafkaField.of(text.source(schema.fields().get(f).name()));
            if (of != null) {
                sources.add(new Source(f, of));
                isFact[f] = true;
            }
        }
    }

    /** Whether a field is of Kafka. */
    boolean has(int field) {
        return isFact[field];
    }

    /** Sets them in the row that has begun. */
    void set(RecordFacts facts) throws RejectedRecordException {
        for (int i = 0; i < sources.size(); i++) {
            Source source = sources.get(i);
            switch (source.of.part()) {
                case KEY -> text(source, facts.key());
                case HEADER -> text(source, facts.header(source.of.header()));
                case PARTITION -> row.setInteger(source.field, facts.partition());
                case OFFSET -> row.setInteger(source.field, facts.offset());
                case TIMESTAMP -> timestamp(source, facts.timestamp());
            }
        }
    }

    private void timestamp(Source source, long millis) throws RejectedRecordException {
        if (millis < 0) {
            nothing(source);
            return;
        }
        Field field = row.fields[source.field];
        if (!field.type().isTimestamp()) {
            row.setInteger(source.field, millis);
            return;
        }
        long perMilli =
                TimestampUnit.MILLISECONDS.nanos() / field.type().resolution().nanos();
        if (Math.multiplyHigh(millis, perMilli) != 0 || millis * perMilli < 0) {
            throw new RejectedRecordException(
                    field.name() + ": " + millis + " milliseconds are outside of the range of a "
                            + field.type().schemaName());
        }
        row.setInteger(source.field, millis * perMilli);
    }

    private void text(Source source, @Nullable ByteBuffer text) throws RejectedRecordException {
        if (text == null) {
            nothing(source);
            return;
        }
        int length = text.remaining();
        FieldType type = row.types[source.field];
        try {
            if (length > TupleBlock.MAX_VALUE_BYTES) {
                throw new RejectedRecordException(
                        RefusalKind.SIZE,
                        row.names[source.field] + ": expected at most " + TupleBlock.MAX_VALUE_BYTES + " bytes, got "
                                + length);
            }
            if (copy.length < length) {
                copy = new byte[length];
            }
            text.get(text.position(), copy, 0, length);
            if (type == FieldType.BYTES) {
                row.setBytes(source.field, copy, 0, length);
            } else {
                values.text(source.field, copy, 0, length);
            }
        } catch (RejectedRecordException e) {
            throw new RejectedRecordException(e.getMessage() + " (" + where(source) + ")");
        }
    }

    private void nothing(Source source) throws RejectedRecordException {
        if (!row.setNull(source.field)) {
            throw new RejectedRecordException(
                    RefusalKind.FIELDS, row.names[source.field] + ": the record has no " + where(source));
        }
    }

    private static String where(Source source) {
        return switch (source.of.part()) {
            case KEY -> "key";
            case HEADER -> "header " + Snippet.of(source.of.header());
            case TIMESTAMP -> "time";
            case PARTITION, OFFSET -> "place";
        };
    }
}
