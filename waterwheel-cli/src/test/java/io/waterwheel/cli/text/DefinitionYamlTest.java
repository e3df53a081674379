package io.waterwheel.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.decode.RandomRows;
import io.waterwheel.geo.Box;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Balancing;
import io.waterwheel.schema.DecimalTypes;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.schema.TimestampUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DefinitionYamlTest {
    /** The others need to be told where the types of records are. */
    private static final RecordFormat[] FORMATS = {RecordFormat.CSV, RecordFormat.JSON, RecordFormat.BLOCK};

    private static final String[] NAMES = {"null", "true", "No", "s", "1", "1e3", "a.b-c", "0x1F", "2021-10-07", "007"};
    private static final String[] TOPICS = {"-", "...", "---", "_a", ".b", "flights", "NULL", "1_000"};
    private static final String[] FIELDS = {"null", "y", "off", "_", "_1", "True", "NaN", "ts"};
    private static final String[] BAD_RECORDS = {"skip", "halt", "halt above 7 per million"};
    private static final String[] LOSSES = {"fail", "skip to earliest"};
    private static final String[] RETENTIONS = {"off", "30 d", "90 s", "1 h"};

    @Test
    void whatIsPrintedIsTheDefinition() {
        for (long seed = 1; seed <= 500; seed++) {
            Random random = new Random(seed);
            List<Field> fields = new ArrayList<>();
            for (String name : FIELDS) {
                FieldType type = any(DecimalTypes.all(), random);
                TimestampUnit unit =
                        type.isTimestamp() ? any(TimestampUnit.values(), random) : TimestampUnit.NANOSECONDS;
                Field.Index index = type == FieldType.STRING
                        ? any(Field.Index.values(), random)
                        : random.nextBoolean() ? Field.Index.VALUES : Field.Index.NONE;
                fields.add(new Field(name, type, random.nextBoolean(), unit, index));
            }
            fields.add(new Field("x", FieldType.DOUBLE, false));
            fields.add(new Field("no", FieldType.DOUBLE, false));
            fields.add(new Field("at", FieldType.TIMESTAMP_US, false, TimestampUnit.SECONDS, false));
            KeySpec key =
                    switch (random.nextInt(3)) {
                        case 0 -> new KeySpec.Ordered("no");
                        case 1 ->
                            new KeySpec.Position(
                                    "x", "no", new Box(-random.nextDouble(), -1e-5, random.nextDouble(), 7));
                        default -> RandomRows.dimensions(fields.subList(0, fields.size() - 1), random);
                    };
            StreamDefinition definition = new StreamDefinition(
                    any(NAMES, random),
                    any(TOPICS, random),
                    any(FORMATS, random),
                    1 + random.nextInt(1024),
                    new Schema(fields, key, "at"),
                    StreamPolicy.DEFAULT
                            .withBadRecords(BadRecords.parse(any(BAD_RECORDS, random)))
                            .withLogLoss(LogLoss.parse(any(LOSSES, random)))
                            .withBalancing(any(Balancing.values(), random))
                            .withRetention(Retention.parse(any(RETENTIONS, random))));
            String yaml = DefinitionYaml.of(definition);
            assertThat(SchemaFile.read("printed", yaml))
                    .as("seed %s\n%s", seed, yaml)
                    .isEqualTo(definition);
        }
    }

    /** A format that says where the types of records are, and fields that are of Kafka. */
    @Test
    void whatIsPrintedOfTypedRecordsIsTheDefinition() {
        String yaml = """
                name: wind
                format: avro
                fields:
                  - {name: at, type: timestamp, from: kafka.timestamp}
                  - {name: id, type: long, from: $.station.id}
                  - {name: program, type: string, nullable: true, from: kafka.headers.program}
                key: {field: id}
                time: at
                records: {registry: 'http://127.0.0.1:8081'}
                """;
        StreamDefinition definition = SchemaFile.read("given", yaml);
        assertThat(SchemaFile.read("printed", DefinitionYaml.of(definition))).isEqualTo(definition);
    }

    private static <T> T any(T[] choices, Random random) {
        return choices[random.nextInt(choices.length)];
    }
}
