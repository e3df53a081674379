package io.waterwheel.decode;

import com.google.protobuf.Descriptors.Descriptor;
import io.waterwheel.decode.avro.AvroReader;
import io.waterwheel.decode.avro.AvroSchemas;
import io.waterwheel.decode.avro.AvroType;
import io.waterwheel.decode.protobuf.MessageDescriptors;
import io.waterwheel.decode.protobuf.ProtobufReader;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.MemberTree;
import io.waterwheel.decode.typed.Pass;
import io.waterwheel.decode.typed.TypedReader;
import io.waterwheel.decode.typed.ValueKind;
import io.waterwheel.decode.typed.ValueSink;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.WriterTypes;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Records of a format whose values have types of their own. A record is one tuple, or one for each element of an array
 * as with {@link JsonDecoder}: the record is read twice then, for fields behind the array belong to its tuples too. A
 * record is taken whole or not at all.
 */
final class TypedDecoder implements RecordDecoder, ValueSink {
    private final RowAppender row;
    private final FactFields of;
    private final TypedValues values;
    private final TypedReader reader;
    private final boolean several;
    private final boolean[] inRows;
    private final boolean[] seen;
    private final RecordBytes record = new RecordBytes();
    /** The fields outside of the array, in one row. */
    private final TupleBlock outer;

    private TupleBlock block;
    private boolean arraySeen;
    /** Of the array's tuples: where they begin in the block and in its arena. */
    private int firstRow;

    private int firstByte;
    /** Where the arena of the block ended before the record. */
    private int arenaFrom;

    /**
     * A decoder of Avro.
     *
     * @throws IllegalArgumentException when no record of the schema that the stream names can be a tuple
     */
    static TypedDecoder ofAvro(Schema schema, WriterSchemas registry) {
        String text = schema.text().types().schema();
        AvroType writer = text.isEmpty() ? null : AvroSchemas.parse(text);
        return new TypedDecoder(schema, sink -> new AvroReader(schema, writer, registry, sink));
    }

    /**
     * A decoder of Protocol Buffers.
     *
     * @param registry of the types of records that name theirs
     * @throws IllegalArgumentException when no message of the type that the stream names can be a tuple
     */
    static TypedDecoder ofProtobuf(Schema schema, WriterSchemas registry) {
        WriterTypes types = schema.text().types();
        if (types.descriptor().isEmpty()) {
            return new TypedDecoder(schema, sink -> new ProtobufReader(schema, registry, sink));
        }
        Descriptor type = MessageDescriptors.find(types.descriptor(), types.message());
        return new TypedDecoder(schema, sink -> new ProtobufReader(schema, type, sink));
    }

    /**
     * A decoder.
     *
     * @param reader makes the reader, which may ask what fields can hold
     */
    private TypedDecoder(Schema schema, Function<ValueSink, TypedReader> reader) {
        this.row = new RowAppender(schema);
        this.of = new FactFields(row, schema);
        this.values = new TypedValues(row, schema);
        this.inRows = new boolean[schema.fields().size()];
        MemberTree rows = MemberTree.of(schema).rows();
        this.several = rows != null;
        if (rows != null) {
            rows.mark(inRows);
        }
        this.seen = new boolean[inRows.length];
        this.outer = new TupleBlock(row.layout(), 1);
        this.block = outer;
        this.reader = reader.apply(this);
    }

    @Override
    public void prefetch(ByteBuffer value) {
        record.of(value);
        reader.prefetch(record.array, record.from, record.from + record.length);
    }

    @Override
    public void decode(ByteBuffer value, RecordFacts facts, TupleBlock into) throws RejectedRecordException {
        if (!value.hasRemaining()) {
            throw new RejectedRecordException(RefusalKind.FORM, "the record is empty");
        }
        record.of(value);
        int size = into.size();
        int arena = into.arenaSize();
        boolean taken = false;
        try {
            if (several) {
                array(facts, into);
            } else {
                begin(into, facts);
                read(Pass.OUTER);
                commit();
            }
            taken = true;
        } catch (MalformedException e) {
            throw new RejectedRecordException(RefusalKind.FORM, String.valueOf(e.getMessage()));
        } finally {
            if (!taken) {
                into.setSize(size);
                into.setArenaSize(arena);
            }
        }
    }

    private void read(Pass pass) throws MalformedException {
        reader.read(record.array, record.from, record.from + record.length, pass, this);
    }

    private void begin(TupleBlock into, RecordFacts facts) throws RejectedRecordException {
        block = into;
        arenaFrom = into.arenaSize();
        row.begin(into);
        Arrays.fill(seen, false);
        of.set(facts);
    }

    private void commit() throws MalformedException {
        for (int f = 0; f < seen.length; f++) {
            if (!seen[f] && !inRows[f] && !of.has(f)) {
                none(f);
            }
        }
        row.commit();
    }

    private void array(RecordFacts facts, TupleBlock into) throws MalformedException, RejectedRecordException {
        outer.clear();
        arraySeen = false;
        begin(outer, facts);
        read(Pass.OUTER);
        if (!arraySeen) {
            throw new RejectedRecordException(
                    RefusalKind.FIELDS, "the record lacks the array whose elements are tuples");
        }
        commit();
        block = into;
        firstRow = into.size();
        firstByte = into.arenaSize();
        // Rows are bounded one by one, too.
        arenaFrom = firstByte;
        read(Pass.ROWS);
    }

    @Override
    public void array() {
        arraySeen = true;
    }

    @Override
    public void beginRow() throws MalformedException {
        if (block.size() - firstRow == JsonDecoder.MOST_ROWS
                || block.arenaSize() - firstByte > JsonDecoder.MOST_ROW_BYTES) {
            throw new MalformedException("the array has more than " + JsonDecoder.MOST_ROWS
                    + " elements, or their tuples more than " + JsonDecoder.MOST_ROW_BYTES + " bytes of texts");
        }
        row.begin(block);
        Arrays.fill(seen, false);
    }

    @Override
    public void endRow() throws MalformedException {
        for (int f = 0; f < seen.length; f++) {
            if (!inRows[f]) {
                row.copy(f, outer, 0);
            } else if (!seen[f]) {
                none(f);
            }
        }
        row.commit();
    }

    /** A field that is met again and again leaves the bytes of its former values in the block. */
    private void taken(int field) throws MalformedException {
        seen[field] = true;
        if (block.arenaSize() - arenaFrom > JsonDecoder.MOST_ROW_BYTES + (long) record.length) {
            throw new MalformedException(
                    "the texts of the record take more than " + JsonDecoder.MOST_ROW_BYTES + " bytes");
        }
    }

    private void none(int field) throws MalformedException {
        if (!row.setNull(field)) {
            throw new MalformedException("the record lacks " + row.names[field]);
        }
    }

    @Override
    public @Nullable String unfit(int field, ValueKind kind) {
        return values.unfit(field, kind);
    }

    @Override
    public boolean has(int field) {
        return seen[field];
    }

    @Override
    public void nothing(int field) {
        seen[field] = false;
    }

    @Override
    public void integer(int field, long value) throws MalformedException {
        values.integer(field, value);
        taken(field);
    }

    @Override
    public void unsigned(int field, long value) throws MalformedException {
        values.unsigned(field, value);
        taken(field);
    }

    @Override
    public void single(int field, float value) throws MalformedException {
        values.single(field, value);
        seen[field] = true;
    }

    @Override
    public void number(int field, double value) throws MalformedException {
        values.number(field, value);
        seen[field] = true;
    }

    @Override
    public void bool(int field, boolean value) throws MalformedException {
        values.bool(field, value);
        seen[field] = true;
    }

    @Override
    public void text(int field, byte[] bytes, int offset, int length) throws MalformedException {
        values.text(field, bytes, offset, length);
        taken(field);
    }

    @Override
    public void bytes(int field, byte[] bytes, int offset, int length) throws MalformedException {
        values.bytes(field, bytes, offset, length);
        taken(field);
    }

    @Override
    public void instant(int field, long units, TimestampUnit unit) throws MalformedException {
        values.instant(field, units, unit);
        seen[field] = true;
    }

    @Override
    public void instant(int field, long seconds, int nanos) throws MalformedException {
        values.instant(field, seconds, nanos);
        seen[field] = true;
    }

    @Override
    public void local(int field, long units, TimestampUnit unit) throws MalformedException {
        values.local(field, units, unit);
        seen[field] = true;
    }

    @Override
    public void date(int field, long days) throws MalformedException {
        values.date(field, days);
        taken(field);
    }

    @Override
    public void timeOfDay(int field, long units, TimestampUnit unit) throws MalformedException {
        values.timeOfDay(field, units, unit);
        taken(field);
    }

    @Override
    public void decimal(int field, byte[] bytes, int offset, int length, int scale) throws MalformedException {
        values.decimal(field, bytes, offset, length, scale);
        taken(field);
    }
}
