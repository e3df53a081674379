package io.waterwheel.gateway.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.DecimalTypes;
import io.waterwheel.schema.FieldType;
import io.waterwheel.wire.TypeMetadata;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.arrow.memory.RootAllocator;
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
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of random rows, read by DuckDB. */
final class ParquetFileTest {
    private static final List<ArrowType> TYPES = List.of(
            new ArrowType.Int(32, true),
            new ArrowType.Int(64, true),
            new ArrowType.Int(32, false),
            new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE),
            new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE),
            ArrowType.Bool.INSTANCE,
            new ArrowType.Timestamp(TimeUnit.MILLISECOND, "UTC"),
            new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC"),
            new ArrowType.Timestamp(TimeUnit.NANOSECOND, "UTC"),
            ArrowType.Utf8.INSTANCE,
            ArrowType.Binary.INSTANCE,
            new ArrowType.FixedSizeBinary(16),
            new ArrowType.Decimal(9, 2, 128),
            new ArrowType.Decimal(38, 10, 128));

    @TempDir
    Path folder;

    @Test
    void everyTypeIsReadAsItWasWritten() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < Integer.getInteger("seeds", 3); round++) {
            List<List<@Nullable String>> expected = new ArrayList<>();
            // The first is of several row groups; some have no row at all.
            byte[] bytes = round == 0
                    ? file(4, 8_000, 8_000, random, expected)
                    : file(random.nextInt(5), 0, 70, random, expected);
            Path path = Files.write(folder.resolve("answer" + round + ".parquet"), bytes);
            assertThat(read(path)).as("seed %d, round %d", seed, round).isEqualTo(expected);
            String verdict = "SELECT decode(value) FROM parquet_kv_metadata('" + path + "') WHERE decode(key) = '"
                    + ParquetFile.VERDICT + "'";
            assertThat(ask(verdict)).containsExactly(List.of("{\"complete\":true}"));
            if (round == 0) {
                assertThat(ask("SELECT num_row_groups > 1 FROM parquet_file_metadata('" + path + "')"))
                        .containsExactly(List.of("true"));
            }
        }
    }

    @Test
    void aFileWithoutItsEndIsNone() throws Exception {
        byte[] bytes = file(2, 0, 50, new Random(1), new ArrayList<>());
        Path path = Files.write(folder.resolve("cut.parquet"), Arrays.copyOf(bytes, bytes.length - 1));
        assertThatThrownBy(() -> read(path)).isInstanceOf(SQLException.class);
    }

    @Test
    void aFileHasABoundOfColumnChunks() {
        List<Field> many = new ArrayList<>();
        for (int f = 0; f <= ParquetFile.MOST_CHUNKS; f++) {
            many.add(field(f, TYPES.get(0), true));
        }
        assertThatThrownBy(() -> new ParquetFile(new Schema(many), bytes -> {}))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("format=arrow");
    }

    @Test
    void columnsOfOneNameAreToldApart() throws Exception {
        List<Field> fields = new ArrayList<>();
        for (String name : List.of("count", "count", "count_1", "count")) {
            fields.add(Field.nullable(name, TYPES.get(0)));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ParquetFile(new Schema(fields), bytes::writeBytes).end(new byte[0]);
        Path path = Files.write(folder.resolve("names.parquet"), bytes.toByteArray());
        assertThat(ask("SELECT name FROM parquet_schema('" + path + "')"))
                .containsExactly(
                        List.of("waterwheel"),
                        List.of("count"),
                        List.of("count_2"),
                        List.of("count_1"),
                        List.of("count_3"));
        assertThatThrownBy(() -> new ParquetFile(new Schema(List.of()), unused -> {}))
                .hasMessageContaining("without columns");
    }

    private static Field field(int place, ArrowType type, boolean nullable) {
        Map<String, String> metadata = type instanceof ArrowType.FixedSizeBinary
                ? TypeMetadata.of(nullable ? FieldType.UUID : FieldType.IPV6)
                : Map.of();
        return new Field(
                "f" + place, new org.apache.arrow.vector.types.pojo.FieldType(nullable, type, null, metadata), null);
    }

    private static List<Field> fields() {
        List<Field> fields = new ArrayList<>();
        for (boolean nullable : new boolean[] {true, false}) {
            for (ArrowType type : TYPES) {
                fields.add(field(fields.size(), type, nullable));
            }
        }
        return fields;
    }

    /** Writes batches of random rows, and notes what a reader has to find. */
    private static byte[] file(
            int batches, int leastRows, int mostRows, Random random, List<List<@Nullable String>> expected) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (RootAllocator allocator = new RootAllocator();
                VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(fields()), allocator)) {
            ParquetFile file = new ParquetFile(root.getSchema(), bytes::writeBytes);
            for (int b = 0; b < batches; b++) {
                int rows = leastRows + random.nextInt(mostRows - leastRows + 1);
                root.clear();
                List<List<@Nullable String>> table = new ArrayList<>();
                for (int row = 0; row < rows; row++) {
                    table.add(new ArrayList<>());
                }
                for (FieldVector vector : root.getFieldVectors()) {
                    vector.setInitialCapacity(rows);
                    vector.allocateNew();
                    // A column without nulls now and then, also where it may have some.
                    int nulls = vector.getField().isNullable() ? random.nextInt(3) : 0;
                    for (int row = 0; row < rows; row++) {
                        table.get(row).add(nulls > 0 && random.nextInt(4) < nulls ? null : set(vector, row, random));
                    }
                }
                root.setRowCount(rows);
                file.batch(root);
                expected.addAll(table);
            }
            file.end("{\"complete\":true}".getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    /** Sets a random value; returns the text that the query of {@link #read} makes of it. */
    private static String set(FieldVector vector, int row, Random random) {
        if (vector instanceof IntVector ints) {
            int value = random.nextInt();
            ints.setSafe(row, value);
            return Integer.toString(value);
        } else if (vector instanceof BigIntVector longs) {
            long value = random.nextLong();
            longs.setSafe(row, value);
            return Long.toString(value);
        } else if (vector instanceof UInt4Vector addresses) {
            int value = random.nextInt();
            addresses.setSafe(row, value);
            return Integer.toUnsignedString(value);
        } else if (vector instanceof Float4Vector floats) {
            float value = Float.intBitsToFloat(random.nextInt());
            floats.setSafe(row, value);
            return Float.isNaN(value) ? "NaN" : Integer.toString(Float.floatToRawIntBits(value));
        } else if (vector instanceof Float8Vector doubles) {
            double value = Double.longBitsToDouble(random.nextLong());
            doubles.setSafe(row, value);
            return Double.isNaN(value) ? "NaN" : Long.toString(Double.doubleToRawLongBits(value));
        } else if (vector instanceof BitVector bits) {
            int value = random.nextInt(2);
            bits.setSafe(row, value);
            return Boolean.toString(value == 1);
        } else if (vector instanceof TimeStampVector times) {
            // Years that DuckDB's own types hold in every unit.
            long value = random.nextInt() * 1_000_000L;
            times.setSafe(row, value);
            return Long.toString(value);
        } else if (vector instanceof DecimalVector decimals) {
            BigDecimal value =
                    DecimalTypes.value(FieldType.decimal(decimals.getPrecision(), decimals.getScale()), random);
            decimals.setSafe(row, value);
            return value.toPlainString();
        } else if (vector instanceof VarCharVector texts) {
            String value = "\u00e9\n\u4e2d".repeat(random.nextInt(4)) + random.nextInt(100);
            texts.setSafe(row, value.getBytes(StandardCharsets.UTF_8));
            return value;
        }
        byte[] bytes = new byte[vector instanceof VarBinaryVector ? random.nextInt(9) : 16];
        random.nextBytes(bytes);
        if (vector instanceof VarBinaryVector binary) {
            binary.setSafe(row, bytes);
        } else {
            ((FixedSizeBinaryVector) vector).setSafe(row, bytes);
        }
        return HexFormat.of().formatHex(bytes);
    }

    private static List<List<@Nullable String>> read(Path path) throws SQLException {
        List<String> shown = new ArrayList<>();
        for (Field field : fields()) {
            String name = field.getName();
            ArrowType type = field.getType();
            if (type instanceof ArrowType.Timestamp time) {
                String epoch =
                        switch (time.getUnit()) {
                            case MILLISECOND -> "epoch_ms";
                            case MICROSECOND -> "epoch_us";
                            default -> "epoch_ns";
                        };
                shown.add(epoch + "(" + name + ")");
            } else if (type instanceof ArrowType.Decimal) {
                shown.add("CAST(" + name + " AS VARCHAR)");
            } else if (type instanceof ArrowType.FixedSizeBinary && field.isNullable()) {
                shown.add("replace(CAST(" + name + " AS VARCHAR), '-', '')");
            } else if (type instanceof ArrowType.Binary || type instanceof ArrowType.FixedSizeBinary) {
                shown.add("lower(hex(" + name + "))");
            } else {
                shown.add(name);
            }
        }
        return ask("SELECT " + String.join(", ", shown) + " FROM '" + path + "'");
    }

    private static List<List<@Nullable String>> ask(String sql) throws SQLException {
        try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = duckdb.createStatement();
                ResultSet answer = statement.executeQuery(sql)) {
            List<List<@Nullable String>> rows = new ArrayList<>();
            while (answer.next()) {
                List<@Nullable String> row = new ArrayList<>();
                for (int c = 1; c <= answer.getMetaData().getColumnCount(); c++) {
                    Object value = answer.getObject(c);
                    if (value instanceof Float number && !number.isNaN()) {
                        value = Float.floatToRawIntBits(number);
                    } else if (value instanceof Double number && !number.isNaN()) {
                        value = Double.doubleToRawLongBits(number);
                    }
                    row.add(value == null ? null : value.toString());
                }
                rows.add(row);
            }
            return rows;
        }
    }
}
