package io.waterwheel.gateway.influx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LineProtocolTest {
    private static LineProtocol.Point read(String line) throws LineProtocol.BadLine {
        byte[] bytes = line.getBytes(UTF_8);
        return LineProtocol.read(bytes, 0, bytes.length);
    }

    @Test
    void readsWhatTelegrafWrites() throws LineProtocol.BadLine {
        LineProtocol.Point point = read(
                "cpu,cpu=cpu0,host=a\\ b\\,c usage_idle=98.5,n=3i,m=7u,up=t,note=\"x, \\\"y\\\"=z\" 1700000000123456789");
        assertThat(point.measurement()).isEqualTo("cpu");
        assertThat(point.time()).isEqualTo("1700000000123456789");
        assertThat(point.values())
                .containsExactly(
                        new LineProtocol.Value("cpu", LineProtocol.Kind.TAG, "cpu0"),
                        new LineProtocol.Value("host", LineProtocol.Kind.TAG, "a b,c"),
                        new LineProtocol.Value("usage_idle", LineProtocol.Kind.NUMBER, "98.5"),
                        new LineProtocol.Value("n", LineProtocol.Kind.INTEGER, "3"),
                        new LineProtocol.Value("m", LineProtocol.Kind.NUMBER, "7"),
                        new LineProtocol.Value("up", LineProtocol.Kind.FLAG, "true"),
                        new LineProtocol.Value("note", LineProtocol.Kind.TEXT, "x, \"y\"=z"));
        assertThat(read("m v=1.,w=.5,x=-007i,y=+2e3").values().stream().map(LineProtocol.Value::text))
                .containsExactly("1", "0.5", "-7", "2e3");
        assertThat(read("a\\ b,t=5\" v=1").measurement()).isEqualTo("a b");
    }

    @Test
    void saysWhatIsWrong() {
        for (String bad : List.of(
                "",
                ",t=1 v=1",
                "m",
                "m,t v=1",
                "m,t= v=1",
                "m v",
                "m v=",
                "m v=x",
                "m v=1 x",
                "m v=\"x",
                "m v=1i2",
                "m v=9223372036854775808i",
                "m v=18446744073709551616u",
                "m v=1 9.5",
                "m  ",
                "m v=1,",
                "m v=1 1 2")) {
            assertThatThrownBy(() -> read(bad)).as(bad).isInstanceOf(LineProtocol.BadLine.class);
        }
    }

    /** Lines of random names and texts are read as they were meant, one behind the other. */
    @Test
    void readsItsOwnEscapes() throws LineProtocol.BadLine {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            String measurement = "m" + text(random);
            List<LineProtocol.Value> values = new ArrayList<>();
            StringBuilder line = new StringBuilder(escaped(measurement, ", "));
            for (int t = random.nextInt(3); t > 0; t--) {
                String name = "t" + text(random);
                String value = "v" + text(random);
                values.add(new LineProtocol.Value(name, LineProtocol.Kind.TAG, value));
                line.append(',').append(escaped(name, ",= ")).append('=').append(escaped(value, ",= "));
            }
            line.append(' ');
            for (int f = 1 + random.nextInt(3); f > 0; f--) {
                String name = "f" + text(random);
                String value = text(random) + (random.nextInt(4) == 0 ? "\n" : "");
                values.add(new LineProtocol.Value(name, LineProtocol.Kind.TEXT, value));
                line.append(escaped(name, ",= "))
                        .append("=\"")
                        .append(escaped(value, "\"\\"))
                        .append('"');
                line.append(f > 1 ? "," : "");
            }
            byte[] bytes = (line + "\nnext v=1").getBytes(UTF_8);
            int end = LineProtocol.end(bytes, 0);
            assertThat(new String(bytes, end, bytes.length - end, UTF_8))
                    .as("seed %s: %s", seed, line)
                    .isEqualTo("\nnext v=1");
            LineProtocol.Point point = LineProtocol.read(bytes, 0, end);
            assertThat(point.measurement()).as("seed %s: %s", seed, line).isEqualTo(measurement);
            assertThat(point.values()).as("seed %s: %s", seed, line).isEqualTo(values);
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append("ab,= \"e9".charAt(random.nextInt(8)));
        }
        return text.toString();
    }

    private static String escaped(String text, String special) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            escaped.append(special.indexOf(c) >= 0 ? "\\" : "").append(c);
        }
        return escaped.toString();
    }

    @Test
    void pointsAreRowsOfASchema() throws LineProtocol.BadLine {
        Schema schema = new Schema(
                List.of(
                        new Field("at", FieldType.TIMESTAMP, false),
                        new Field("measurement", FieldType.STRING, true),
                        new Field("rack", FieldType.INT, true),
                        new Field("v", FieldType.DOUBLE, true)),
                new KeySpec.Ordered("at"),
                "at");
        PointRows rows = new PointRows(schema);
        rows.add(read("cpu,rack=7,host=a v=1.5,other=2"), 3, new BigDecimal("1700000000123999999"));
        rows.add(read("cpu,rack=x,measurement=y v=2"), 9, new BigDecimal("-1"));
        assertThat(new String(rows.json(), UTF_8)).isEqualTo("""
                        {"at":1700000000123,"rack":7,"v":1.5,"measurement":"cpu"}
                        {"at":-1,"rack":"x","measurement":"y","v":2}
                        """);
        assertThat(rows.line(1)).isEqualTo(3);
        assertThat(rows.line(2)).isEqualTo(9);
    }

    @Test
    void proposalsAreSchemas() throws LineProtocol.BadLine {
        String yaml = PointRows.proposal(read("disk,host=a,path=/ free=1i,full=f,label=\"x\" 1"));
        assertThat(SchemaFile.read("proposal", yaml).schema().fields()).hasSize(6);
        assertThat(SchemaFile.read("proposal", PointRows.proposal(read("up v=1")))
                        .name())
                .isEqualTo("up");
        StreamDefinition words =
                SchemaFile.read("proposal", PointRows.proposal(read("NULL,true=a no=1i,null=\"x\" 1")));
        assertThat(words.name()).isEqualTo("NULL");
        assertThat(words.schema().fields()).extracting(Field::name).containsExactly("time", "true", "no", "null");
        assertThat(words.schema().key()).isEqualTo(new KeySpec.Ordered("true"));
    }
}
