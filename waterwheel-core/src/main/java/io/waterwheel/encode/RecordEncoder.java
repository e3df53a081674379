package io.waterwheel.encode;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.MemberPath;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes records of a stream's topic, as {@link RecordDecoder} reads them, of tuples: a line or an object each, or tuple
 * blocks of many. One thread at a time.
 */
public final class RecordEncoder {
    private final RecordFormat format;
    private final boolean blocks;
    private final Schema schema;
    /** By field where it stands in a JSON object. */
    private final List<List<MemberPath.Step>> places;

    private final boolean hasPattern;
    private final int blockBytes;
    /** The open block of a stream of tuple blocks; of others a place for one row. */
    private final TupleBlock open;

    private final RowWriter rows;
    private final boolean keysSent;

    /** @param blockBytes size at which a tuple block is a record */
    public RecordEncoder(RecordFormat format, Schema schema, int blockBytes) {
        this.format = format;
        this.blocks = format.takesBlocks(schema);
        this.schema = schema;
        this.blockBytes = blockBytes;
        this.places = TextRows.places(schema);
        this.hasPattern = !schema.text().times().isEmpty();
        this.open = new TupleBlock(RowLayout.of(schema), 16);
        this.rows = new RowWriter(schema, open);
        this.keysSent = open.layout().hasKeyField();
    }

    /**
     * Takes one tuple.
     *
     * @param values in the order of the schema's fields: Number for int, long, float and double; Number or Instant for
     *     timestamps; Boolean; String (of addresses too); UUID or String for uuid; byte[]; null for none
     * @return a record that is ready; null when the tuple waits in a block
     * @throws IllegalArgumentException when a value does not fit its field, or no tuple can become a record of the
     *     stream; nothing is taken then
     */
    public byte @Nullable [] add(@Nullable Object... values) {
        requireTuples();
        int arena = open.arenaSize();
        rows.append(values);
        if (blocks) {
            return full();
        }
        // The row has proved that the values fit; the text is made of what it holds.
        List<@Nullable Object> stored = rows.values(open.size() - 1);
        open.setSize(open.size() - 1);
        open.setArenaSize(arena);
        if (format == RecordFormat.JSON) {
            checkFinite(stored);
        }
        inSourceUnits(stored);
        String text = format == RecordFormat.CSV
                ? TextRows.csv(stored, schema.text().csv())
                : TextRows.jsonAt(places, stored);
        byte[] record = schema.text().encoding().ofUtf8(text.getBytes(StandardCharsets.UTF_8));
        if (record == null) {
            throw new IllegalArgumentException("a text has a character that "
                    + schema.text().encoding().label() + ", the encoding of the stream's records, lacks");
        }
        return record;
    }

    /** Throws where records are more than tuples, or other programs' to write. */
    private void requireTuples() {
        if (!blocks && !format.isText()) {
            throw new IllegalArgumentException("the stream's records are " + SchemaFile.formatName(format)
                    + ", which programs of their own write; append records");
        }
        if (schema.text().kafka().any()) {
            throw new IllegalArgumentException(
                    "the stream has fields that are of Kafka (from: kafka...), which no tuple"
                            + " brings along; append records");
        }
    }

    /**
     * Takes a row of a block of the layout {@code RowLayout.of(schema)}; of a stream that takes tuple blocks only.
     *
     * @return a record that is ready, or null
     */
    public byte @Nullable [] add(TupleBlock block, int row) {
        if (!blocks) {
            throw new IllegalStateException(
                    "rows of a block go to a stream that takes tuple blocks, not to one of " + format);
        }
        rows.copy(block, row);
        return full();
    }

    /**
     * The tuples that wait, as a record, where one more row would make it longer than a record should be; else null. So
     * a long row goes alone: with others it might be more than Kafka takes.
     */
    public byte @Nullable [] before(TupleBlock block, int row) {
        if (open.size() == 0) {
            return null;
        }
        RowLayout layout = block.layout();
        long bytes = BlockCodec.encodedBytes(open, keysSent) + (long) layout.rowWidth();
        for (int c = 0; c < layout.columns(); c++) {
            if (layout.variable(c)) {
                bytes += TupleBlock.referenceLength(LittleEndian.getLong(block.column(c), row * Long.BYTES));
            }
        }
        return bytes > blockBytes ? rest() : null;
    }

    private byte @Nullable [] full() {
        return BlockCodec.encodedBytes(open, keysSent) >= blockBytes ? rest() : null;
    }

    /** The tuples that wait, as a record; null when none does. */
    public byte @Nullable [] rest() {
        if (open.size() == 0) {
            return null;
        }
        byte[] record = BlockCodec.encode(open, keysSent);
        open.clear();
        return record;
    }

    /**
     * Timestamps that are read in another unit than they are kept in, as exact decimals of that unit; where digits
     * could be a time by the stream's pattern, as ISO 8601 has them.
     */
    private void inSourceUnits(List<@Nullable Object> values) {
        List<Field> fields = schema.fields();
        for (int f = 0; f < values.size(); f++) {
            Field field = fields.get(f);
            if (!(values.get(f) instanceof Long units) || !field.type().isTimestamp()) {
                continue;
            }
            TimestampUnit kept = field.type().resolution();
            if (hasPattern) {
                Instant instant = kept.instant(units);
                values.set(f, instant.toString());
            } else if (field.unit() != kept) {
                BigDecimal nanos = BigDecimal.valueOf(units).multiply(BigDecimal.valueOf(kept.nanos()));
                values.set(
                        f,
                        nanos.divide(BigDecimal.valueOf(field.unit().nanos())).toPlainString());
            }
        }
    }

    private void checkFinite(List<@Nullable Object> values) {
        for (int f = 0; f < values.size(); f++) {
            Object value = values.get(f);
            if ((value instanceof Float || value instanceof Double)
                    && !Double.isFinite(((Number) value).doubleValue())) {
                throw new IllegalArgumentException(
                        "field " + schema.fields().get(f).name() + ": " + value + " has no form in JSON");
            }
        }
    }
}
