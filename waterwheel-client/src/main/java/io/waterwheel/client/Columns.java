package io.waterwheel.client;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/** The vectors of an answer with the types of Waterwheel's fields. */
final class Columns {
    /** No fields, no rows: before the first batch. */
    static final Columns NONE = new Columns(VectorSchemaRoot.of());

    private static final int MAX_NAME = 64;

    private final VectorSchemaRoot root;
    private final List<Field> fields;
    private final FieldVector[] vectors;
    private final Map<String, Integer> byName = new HashMap<>();

    private Columns(VectorSchemaRoot root) {
        this.root = root;
        this.vectors = root.getFieldVectors().toArray(FieldVector[]::new);
        List<Field> named = new ArrayList<>(vectors.length);
        for (int f = 0; f < vectors.length; f++) {
            // The root's schema, not the vector: a column of a statement may be called otherwise.
            org.apache.arrow.vector.types.pojo.Field column =
                    root.getSchema().getFields().get(f);
            named.add(new Field(fieldName(column.getName()), JavaTypes.of(vectors[f]), column.isNullable()));
            byName.putIfAbsent(column.getName(), f);
        }
        this.fields = List.copyOf(named);
    }

    /** The label of a statement's column may be any text. */
    private static String fieldName(String label) {
        if (Field.isName(label)) {
            return label;
        }
        String replaced = label.replaceAll("[^A-Za-z0-9_]", "_");
        String named = replaced.isEmpty() || Character.isDigit(replaced.charAt(0)) ? "_" + replaced : replaced;
        return named.substring(0, Math.min(named.length(), MAX_NAME));
    }

    /** What the answer calls them. */
    List<String> labels() {
        return root.getSchema().getFields().stream()
                .map(org.apache.arrow.vector.types.pojo.Field::getName)
                .toList();
    }

    /** The columns of the root; these, when it is theirs. */
    Columns of(VectorSchemaRoot other) {
        return other == root ? this : new Columns(other);
    }

    VectorSchemaRoot root() {
        return root;
    }

    List<Field> fields() {
        return fields;
    }

    int rows() {
        return root.getRowCount();
    }

    int indexOf(String name) {
        Integer index = byName.get(name);
        if (index == null) {
            throw new IllegalArgumentException(
                    "the answer has no field '" + name + "', its fields are " + byName.keySet());
        }
        return index;
    }

    boolean isNull(int field, int row) {
        check(row);
        return vectors[field].isNull(row);
    }

    private void check(int row) {
        if (row < 0 || row >= rows()) {
            throw new IllegalStateException("there is no row here: call next() first, and until it is false");
        }
    }

    private FieldVector at(int field, int row) {
        if (isNull(field, row)) {
            throw new IllegalStateException(
                    "field " + vectors[field].getName() + " is null in this row: ask isNull first");
        }
        return vectors[field];
    }

    private IllegalStateException unfit(int field, String expected) {
        return new IllegalStateException("field " + vectors[field].getName() + " is of type "
                + fields.get(field).type().schemaName() + ", not " + expected);
    }

    long getLong(int field, int row) {
        FieldVector vector = at(field, row);
        if (vector instanceof BigIntVector longs) {
            return longs.get(row);
        } else if (vector instanceof TimeStampVector times) {
            return times.get(row);
        } else if (vector instanceof IntVector ints) {
            return ints.get(row);
        }
        throw unfit(field, "long, int or timestamp");
    }

    long getLong(int field, int row, FieldType only) {
        if (fields.get(field).type() != only) {
            throw unfit(field, only.schemaName());
        }
        return getLong(field, row);
    }

    double getDouble(int field, int row) {
        return at(field, row) instanceof Float8Vector doubles ? doubles.get(row) : getFloat(field, row);
    }

    float getFloat(int field, int row) {
        if (at(field, row) instanceof Float4Vector floats) {
            return floats.get(row);
        }
        throw unfit(field, "float or double");
    }

    boolean getBoolean(int field, int row) {
        if (at(field, row) instanceof BitVector bits) {
            return bits.get(row) != 0;
        }
        throw unfit(field, "boolean");
    }

    Instant getInstant(int field, int row) {
        FieldType type = fields.get(field).type();
        if (!type.isTimestamp()) {
            throw unfit(field, "timestamp");
        }
        return type.resolution().instant(getLong(field, row));
    }

    String getString(int field, int row) {
        FieldVector vector = at(field, row);
        if (vector instanceof VarCharVector texts) {
            return new String(texts.get(row), StandardCharsets.UTF_8);
        } else if (vector instanceof UInt4Vector addresses) {
            return Ipv4.text(addresses.get(row));
        }
        FieldType type = fields.get(field).type();
        if (type.hasSixteenBytes()) {
            return type.textOfSixteen(sixteen(vector, row), 0);
        }
        if (vector instanceof DecimalVector decimals) {
            return Decimals.text(decimals.getObject(row));
        }
        throw unfit(field, "string, an address, uuid or decimal");
    }

    BigDecimal getDecimal(int field, int row) {
        if (at(field, row) instanceof DecimalVector decimals) {
            return decimals.getObject(row);
        }
        throw unfit(field, "decimal");
    }

    UUID getUuid(int field, int row) {
        FieldVector vector = at(field, row);
        if (fields.get(field).type() != FieldType.UUID) {
            throw unfit(field, "uuid");
        }
        ByteBuffer both = ByteBuffer.wrap(sixteen(vector, row));
        return new UUID(both.getLong(), both.getLong());
    }

    private static byte[] sixteen(FieldVector vector, int row) {
        return ((FixedSizeBinaryVector) vector).get(row);
    }

    byte[] getBytes(int field, int row) {
        if (at(field, row) instanceof VarBinaryVector bytes) {
            return bytes.get(row);
        }
        throw unfit(field, "bytes");
    }

    @Nullable
    Object value(int field, int row) {
        return isNull(field, row) ? null : JavaTypes.value(this, field, row);
    }
}
