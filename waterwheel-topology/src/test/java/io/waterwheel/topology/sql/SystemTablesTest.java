package io.waterwheel.topology.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.SystemTable;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is told of the streams. */
final class SystemTablesTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP_US, false),
                    new Field("source", FieldType.IPV4, true)),
            new KeySpec.Ordered("id"),
            "at");
    private static final SystemTables TABLES =
            new SystemTables(() -> List.of(new StreamInfo("orders", 1, SCHEMA, RecordFormat.CSV, "topic", 4, 2)));

    private static List<String> rows(String table) {
        List<String> all = new ArrayList<>();
        TABLES.rows(table).to(block -> all.addAll(texts(block)));
        return all;
    }

    private static List<String> texts(TupleBlock block) {
        List<String> texts = new ArrayList<>();
        for (int row = 0; row < block.size(); row++) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int f = 0; f < block.layout().fields().size(); f++) {
                values.add(block.value(f, row));
            }
            texts.add(values.toString());
        }
        return texts;
    }

    @Test
    void everyTableHasRows() {
        for (SystemTable table : SystemTables.ALL) {
            assertThat(rows(table.qualifiedName())).as(table.qualifiedName()).isNotEmpty();
        }
    }

    @Test
    void streamsAreTablesToo() {
        assertThat(rows("information_schema.tables"))
                .contains(
                        "[waterwheel, public, orders, BASE TABLE]",
                        "[waterwheel, information_schema, columns, SYSTEM VIEW]",
                        "[waterwheel, waterwheel, streams, SYSTEM VIEW]");
        assertThat(rows("information_schema.columns"))
                .contains(
                        "[waterwheel, public, orders, id, 1, NO, BIGINT, null]",
                        "[waterwheel, public, orders, at, 2, NO, TIMESTAMP, 6]",
                        "[waterwheel, public, orders, source, 3, YES, VARCHAR, null]");
        assertThat(rows("information_schema.schemata"))
                .containsExactly(
                        "[waterwheel, information_schema]", "[waterwheel, public]", "[waterwheel, waterwheel]");
    }

    @Test
    void streamsAndTheirFieldsAsTheyWereMade() {
        assertThat(rows("waterwheel.streams")).containsExactly("[orders, topic, 4, 2, csv, id, at, 3]");
        assertThat(rows("waterwheel.fields"))
                .containsExactly(
                        "[orders, id, 1, long, false, key]",
                        "[orders, at, 2, timestamp_us, false, time]",
                        "[orders, source, 3, ipv4, true, null]");
    }
}
