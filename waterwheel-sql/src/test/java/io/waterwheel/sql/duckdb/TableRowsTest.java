package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;

/** Columns of numbers that are copied whole beside the same that are set value by value. */
final class TableRowsTest {
    private static final List<Field> FIELDS = List.of(
            new Field("a", FieldType.LONG, true),
            new Field("b", FieldType.DOUBLE, true),
            new Field("c", FieldType.TIMESTAMP, true),
            new Field("d", FieldType.LONG, false));

    private static final double[] DOUBLES = {0.1, -0.0, 0, Double.NaN, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, 1e300
    };

    @Test
    void columnsAreTheSameInBothWays() throws Exception {
        assertThat(VectorMemory.isKnown())
                .as("DuckDB's vectors have the fields")
                .isTrue();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (DuckDBConnection database =
                DuckDBConnection.newConnection("jdbc:duckdb:", false, null, new Properties())) {
            RowFunction function = RowFunction.register(database);
            assertThat(function.copiesColumns()).isTrue();
            for (int round = 0; round < 20; round++) {
                List<byte[]> messages = new ArrayList<>();
                long rows = 0;
                for (int blocks = random.nextInt(4); blocks > 0; blocks--) {
                    int size = random.nextBoolean() ? random.nextInt(70) : random.nextInt(5000);
                    messages.add(rows(size, random));
                    rows += size;
                }
                int[] places = {3, 0, 2, 1};
                for (boolean whole : new boolean[] {true, false}) {
                    TableRows received = new TableRows(FIELDS, places, whole);
                    for (byte[] message : messages) {
                        received.add(message);
                    }
                    long id = function.open(received);
                    try (Statement statement = database.createStatement()) {
                        statement.execute("CREATE OR REPLACE TABLE t" + whole + " AS " + function.select(id, received));
                    }
                    function.close(id);
                }
                assertThat(number(database, "SELECT count(*) FROM ttrue")).isEqualTo(rows);
                assertThat(number(database, "SELECT count(*) FROM tfalse")).isEqualTo(rows);
                assertThat(number(
                                database, "SELECT count(*) FROM (SELECT * FROM ttrue EXCEPT ALL SELECT * FROM tfalse)"))
                        .as("seed %s", seed)
                        .isZero();
            }
        }
    }

    private static byte[] rows(int size, Random random) {
        TupleBlock block = new TupleBlock(RowLayout.ofFields(FIELDS), size);
        for (int row = 0; row < size; row++) {
            block.setNullMask(row, 0);
            for (int f = 0; f < FIELDS.size(); f++) {
                // A null has what was there before.
                long bits =
                        switch (f) {
                            case 1 -> Double.doubleToRawLongBits(DOUBLES[random.nextInt(DOUBLES.length)]);
                            case 2 -> random.nextInt(1000) - 500;
                            default -> random.nextLong();
                        };
                LittleEndian.putLong(block.column(block.layout().columnOf(f)), row * 8, bits);
                if (f < 3 && random.nextInt(4) == 0) {
                    block.setNullMask(
                            row, block.nullMask(row) | 1L << block.layout().nullBit(f));
                }
            }
        }
        block.setSize(size);
        return BlockCodec.encode(block, false);
    }

    private static long number(DuckDBConnection database, String select) throws Exception {
        try (Statement statement = database.createStatement();
                ResultSet result = statement.executeQuery(select)) {
            result.next();
            return result.getLong(1);
        }
    }
}
