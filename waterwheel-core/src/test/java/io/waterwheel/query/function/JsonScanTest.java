package io.waterwheel.query.function;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.Rounds;
import io.waterwheel.query.function.JsonScan.Kind;
import io.waterwheel.schema.text.MemberPath;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Values that are found in JSON are those of Jackson's tree. */
final class JsonScanTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> NAMES = List.of("a", "b", "wind speed", "naïve", "\"", "a\n", "😀", "");

    private static String found(String json, String path) {
        byte[] bytes = ("junk" + json + "junk").getBytes(UTF_8);
        JsonScan scan = new JsonScan(MemberPath.of(path));
        Kind kind = scan.find(bytes, 4, bytes.length - 4);
        if (kind == Kind.NONE) {
            return "nothing";
        } else if (kind == Kind.TEXT) {
            byte[] text = new byte[bytes.length];
            int end = scan.text(text, 0);
            return end < 0 ? "nothing" : "text " + new String(text, 0, end, UTF_8);
        }
        return kind + " " + new String(bytes, scan.from(), scan.to() - scan.from(), UTF_8);
    }

    @Test
    void valuesAreThoseOfTheTree() throws Exception {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(3_000, 300_000); seed++) {
            Random random = new Random(seed);
            JsonNode root = random.nextInt(4) > 0 ? object(random, 0) : array(random, 0);
            String json = random.nextBoolean()
                    ? root.toString()
                    : MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(root);
            if (random.nextBoolean()) {
                // The same in escapes.
                json = json.replace("😀", "\\ud83d\\uDE00").replace("ï", "\\u00ef");
            }
            StringBuilder path = new StringBuilder("$");
            JsonNode node = root;
            for (int step = 1 + random.nextInt(3); step > 0; step--) {
                if (node.isArray()) {
                    int number = random.nextInt(3);
                    path.append('[').append(number).append(']');
                    node = node.path(number);
                } else {
                    String name = NAMES.get(random.nextInt(NAMES.size() - 1));
                    path.append("['").append(name).append("']");
                    node = node.path(name);
                }
            }
            String expected = node.isMissingNode() || node.isNull()
                    ? "nothing"
                    : node.isTextual()
                            ? "text " + node.textValue()
                            : node.isContainerNode() ? "STRUCTURE" : node.isNumber() ? "NUMBER" : "TRUTH";
            String got = found(json, path.toString());
            String about = "-Dseed=" + seed + " -Dseeds=1: " + path + " of " + json;
            if (node.isContainerNode() || node.isNumber() || node.isBoolean()) {
                assertThat(got).as(about).startsWith(expected);
                assertThat(MAPPER.readTree(got.substring(got.indexOf(' '))))
                        .as(about)
                        .isEqualTo(MAPPER.readTree(node.toString()));
            } else {
                assertThat(got).as(about).isEqualTo(expected);
            }
            // What ends or breaks does so quietly, wherever that is.
            String unused = found(json.substring(0, random.nextInt(json.length())), path.toString());
            StringBuilder broken = new StringBuilder(json);
            broken.setCharAt(random.nextInt(json.length()), "{}[],:\"\\x1 ".charAt(random.nextInt(11)));
            unused = found(broken.toString(), path.toString());
        }
    }

    private static ObjectNode object(Random random, int depth) {
        ObjectNode object = MAPPER.createObjectNode();
        for (int m = random.nextInt(5); m > 0; m--) {
            object.set(NAMES.get(random.nextInt(NAMES.size())), value(random, depth + 1));
        }
        return object;
    }

    private static JsonNode value(Random random, int depth) {
        return switch (random.nextInt(depth > 3 ? 5 : 8)) {
            case 0 -> MAPPER.getNodeFactory().textNode("x" + NAMES.get(random.nextInt(NAMES.size())) + "\\/\t");
            case 1 -> MAPPER.getNodeFactory().numberNode(random.nextInt(100) - 50);
            case 2 -> MAPPER.getNodeFactory().numberNode(random.nextGaussian() * 1e10);
            case 3 -> MAPPER.getNodeFactory().booleanNode(random.nextBoolean());
            case 4 -> MAPPER.getNodeFactory().nullNode();
            case 5 -> object(random, depth);
            default -> array(random, depth);
        };
    }

    private static ArrayNode array(Random random, int depth) {
        ArrayNode array = MAPPER.createArrayNode();
        for (int e = random.nextInt(4); e > 0; e--) {
            array.add(value(random, depth + 1));
        }
        return array;
    }

    @Test
    void whatIsNoJsonHasNoValues() {
        assertThat(found("{\"a\":1, \"a\":2}", "$.a")).as("the first of two").isEqualTo("NUMBER 1");
        assertThat(found("{\"a\":\"x\"", "$.a"))
                .as("what follows is not looked at")
                .isEqualTo("text x");
        assertThat(found(" { \"a\" : 1.50e+3 } ", "$.a")).isEqualTo("NUMBER 1.50e+3");
        for (String json : List.of(
                "",
                " ",
                "a",
                "[1]",
                "{",
                "{\"a\"",
                "{\"a\":",
                "{\"a\":}",
                "{\"a\":01}",
                "{\"a\":1x}",
                "{\"a\":truex}",
                "{\"a\":tru",
                "{\"a\":.5}",
                "{\"a\":-}",
                "{\"a\":1.}",
                "{\"a\":1e}",
                "{\"a\":\"x}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\ud83d\"}",
                "{\"a\":\"\\ude00\"}",
                "{\"a\":\"\\ud83dx\"}",
                "{\"a\":\"\\u12\"}",
                "{\"a\":\"\n\"}",
                "{\"a\":{\"b\":}}",
                "{\"a\":[1,]}",
                "{\"a\":[1}",
                "{\"b\":[1},\"a\":1}",
                "{\"b\":" + "[".repeat(100) + "]".repeat(100) + ",\"a\":1}",
                "{a:1}")) {
            assertThat(found(json, "$.a")).as(json).isEqualTo("nothing");
        }
    }
}
