package io.waterwheel.encode;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.MemberPath;
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
    private Open open;

    /** Takes the row that begins the next block. */
    private Open spare;

    private final boolean keysSent;

    /** A block, and what writes at its end. */
    private record Open(TupleBlock block, RowWriter rows) {
        static Open of(Schema schema) {
            TupleBlock block = new TupleBlock(RowLayout.of(schema), 16);
            return new Open(block, new RowWriter(schema, block));
        }
    }

    /** @param blockBytes size at which a tuple block is a record */
    public RecordEncoder(RecordFormat format, Schema schema, int blockBytes) {
        this.format = format;
        this.blocks = format.takesBlocks(schema);
        this.schema = schema;
        this.blockBytes = blockBytes;
        this.places = TextRows.places(schema);
        this.hasPattern = !schema.text().times().isEmpty();
        this.open = Open.of(schema);
        this.spare = Open.of(schema);
        this.keysSent = open.block.layout().hasKeyField();
    }

    /**
     * Takes one tuple.
     *
     * @param values in the order of the schema's fields: Number for int, long, float and double; Number or Instant for
     *     timestamps; Boolean; String (of addresses too); UUID or String for uuid; byte[]; null for none
     * @return a record that is ready; null when there is none. The tuple may {@link #waits wait} in a block in either
     *     case
     * @throws IllegalArgumentException when a value does not fit its field, or no tuple can become a record of the
     *     stream; nothing is taken then
     */
    public byte @Nullable [] add(@Nullable Object... values) {
        requireTuples();
        int arena = open.block.arenaSize();
        open.rows.append(values);
        if (blocks) {
            return full(arena);
        }
        // The row has proved that the values fit; the text is made of what it holds.
        List<@Nullable Object> stored = open.rows.values(0);
        open.block.clear();
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
     * @return as {@link #add(Object...)}
     */
    public byte @Nullable [] add(TupleBlock block, int row) {
        if (!blocks) {
            throw new IllegalStateException(
                    "rows of a block go to a stream that takes tuple blocks, not to one of " + format);
        }
        int arena = open.block.arenaSize();
        open.rows.copy(block, row);
        return full(arena);
    }

    /**
     * A record of all rows of a block of the layout {@code RowLayout.of(schema)}, without a copy of each, where no
     * tuple waits and they are at least half of a record and no more than one. Else null, and nothing is taken: then
     * they are {@link #add(TupleBlock, int) added} one by one.
     */
    public byte @Nullable [] whole(TupleBlock rows) {
        if (!blocks || waits() || rows.size() == 0 || !rows.layout().equals(open.block.layout())) {
            return null;
        }
        int bytes = BlockCodec.encodedBytes(rows, keysSent);
        return bytes < blockBytes / 2 || bytes > blockBytes ? null : BlockCodec.encode(rows, keysSent);
    }

    /**
     * What is a record with the last row, or without it where it made the block longer than a record should be. So a
     * long row goes alone: with others it might be more than Kafka takes.
     *
     * @param arena bytes of the block's arena before the row
     */
    private byte @Nullable [] full(int arena) {
        TupleBlock block = open.block;
        int bytes = BlockCodec.encodedBytes(block, keysSent);
        if (bytes <= blockBytes || block.size() == 1) {
            return bytes < blockBytes ? null : rest();
        }
        int last = block.size() - 1;
        spare.rows.copy(block, last);
        block.setSize(last);
        block.setArenaSize(arena);
        byte[] record = rest();
        Open next = spare;
        spare = open;
        open = next;
        return record;
    }

    /** Whether tuples wait in a block. */
    public boolean waits() {
        return open.block.size() > 0;
    }

    /** The tuples that wait, as a record; null when none does. */
    public byte @Nullable [] rest() {
        if (!waits()) {
            return null;
        }
        byte[] record = BlockCodec.encode(open.block, keysSent);
        open.block.clear();
        return record;
    }

    /**
     * Timestamps that are read in another unit than they are kept in, as exact decimals of that unit; where digits
     * could be a time by the stream's pattern, as ISO 8601 has them. A time of two columns becomes two values.
     */
    private void inSourceUnits(List<@Nullable Object> values) {
        List<Field> fields = schema.fields();
        for (int f = 0, at = 0; f < fields.size(); f++, at++) {
            Field field = fields.get(f);
            boolean isTwo = schema.text().clock(field.name()) != null;
            if (isTwo) {
                values.add(at + 1, null);
            }
            if (!(values.get(at) instanceof Long units) || !field.type().isTimestamp()) {
                at += isTwo ? 1 : 0;
                continue;
            }
            TimestampUnit kept = field.type().resolution();
            if (isTwo) {
                String time = kept.instant(units).toString();
                int divides = time.indexOf('T');
                values.set(at, time.substring(0, divides));
                values.set(++at, time.substring(divides + 1));
            } else if (hasPattern) {
                Instant instant = kept.instant(units);
                values.set(at, instant.toString());
            } else if (field.unit() != kept) {
                BigDecimal nanos = BigDecimal.valueOf(units).multiply(BigDecimal.valueOf(kept.nanos()));
                values.set(
                        at,
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
