package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.gateway.Gateway;
import io.waterwheel.gateway.GatewaySettings;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The tests of the Python package, against a whole server: {@code clients/python/tests}. */
final class AskedByPython {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("note", FieldType.STRING, true),
                    new Field("raw", FieldType.BYTES, true),
                    new Field("price", FieldType.decimal(18, 2), true)),
            new KeySpec.Ordered("id"),
            "at");

    /** A stream of text; what stands behind its name is the rest of its first lines. */
    private static final String OF_TEXT = """
            name: %s
            fields:
              - {name: id, type: long}
              - {name: at, type: timestamp}
              - {name: seen, type: timestamp_us, nullable: true}
              - {name: small, type: int, nullable: true}
              - {name: single, type: float, nullable: true}
              - {name: real, type: double, nullable: true}
              - {name: truth, type: boolean, nullable: true}
              - {name: note, type: string, nullable: true}
              - {name: raw, type: bytes, nullable: true}
              - {name: host, type: ipv4, nullable: true}
              - {name: uid, type: uuid, nullable: true}
              - {name: price, type: 'decimal(18, 2)', nullable: true}
            key: {field: id}
            time: at
            """;

    private static final Map<String, String> TEXTS = Map.of(
            "by_python_csv",
            "by_python_csv\nformat: csv\nrecords: {delimiter: ';', decimal: ',', nulls: [NA], zone: Europe/Berlin}",
            "by_python_json",
            "by_python_json\nformat: json");

    private AskedByPython() {}

    static void ask(WaterwheelClient client, Path root, Path folder) throws Exception {
        Python python = Python.with("pyarrow");
        client.createStream(new StreamDefinition("by_python", "by_python", RecordFormat.BLOCK, 2, SCHEMA));
        for (String text : TEXTS.values()) {
            client.createStream(SchemaFile.read("text.yaml", OF_TEXT.formatted(text)));
        }
        try (Gateway gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            gateway.serve(client);
            Path there = root.resolve("clients/python");
            python.run(
                    folder.resolve("python.log"),
                    Map.of(
                            "PYTHONPATH", there.resolve("src").toString(),
                            "WATERWHEEL_URL", gateway.url(),
                            "WATERWHEEL_STREAM", "by_python",
                            "WATERWHEEL_TEXT_STREAMS", String.join(" ", TEXTS.keySet())),
                    "-m",
                    "unittest",
                    "discover",
                    "-s",
                    there.resolve("tests").toString());
            theProgramOfThePage(python, client, gateway, root, folder);
        }
        client.drop("by_python");
        TEXTS.keySet().forEach(client::drop);
    }

    private static void theProgramOfThePage(
            Python python, WaterwheelClient client, Gateway gateway, Path root, Path folder) throws Exception {
        StreamDefinition points = SchemaFile.read(root.resolve("conf/schemas/points.yaml"));
        client.createStream(new StreamDefinition(
                "python_points", "python_points", points.format(), points.partitions(), points.schema()));
        String page = Files.readString(root.resolve("clients/python/README.md"));
        int from = page.indexOf("```python\n") + "```python\n".length();
        String program = page.substring(from, page.indexOf("```", from))
                .replace("points", "python_points")
                .replace("http://127.0.0.1:7071", gateway.url());
        Path file = Files.writeString(folder.resolve("page.py"), program);
        String out = python.run(
                folder.resolve("page.log"),
                Map.of("PYTHONPATH", root.resolve("clients/python/src").toString()),
                file.toString());
        assertThat(page).contains("prints `" + out.strip() + "`");
        client.drop("python_points");
    }
}
