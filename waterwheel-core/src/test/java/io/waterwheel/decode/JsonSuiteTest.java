package io.waterwheel.decode;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What RFC 8259 allows, forbids and leaves open, case by case as test suites of JSON parsers have them, in our own
 * words. Each text is a member that is no field, which is passed over or kept: a record with a text that is no JSON is
 * refused all the same. Texts are bytes, one a character.
 */
final class JsonSuiteTest {
    private static final List<String> ALLOWED = List.of(
            // Arrays and white space.
            "[[]   ]",
            "[\"\"]",
            "[]",
            "[\"a\"]",
            "[false]",
            "[null, 1, \"1\", {}]",
            "[null]",
            "[1\n]",
            " [1]",
            "[1,null,null,null,2]",
            "[2] ",
            "[\"a\"]\n",
            "[true]",
            " [] ",
            "\t[\r\n1 ,\t2 ]",
            // Numbers.
            "[123e65]",
            "[0e+1]",
            "[0e1]",
            "[ 4]",
            "[-0.0000000000000000000000000000000000000000000000000000000001]",
            "[20e1]",
            "[-0]",
            "[-123]",
            "[-1]",
            "[1E22]",
            "[1E-2]",
            "[1E+2]",
            "[123e45]",
            "[123.456e78]",
            "[1e-2]",
            "[1e+2]",
            "[123]",
            "[123.456789]",
            "42",
            "-0.1",
            "0",
            "-0.0",
            "1.0E5",
            // Objects.
            "{\"asd\":\"sdf\", \"dfg\":\"fgh\"}",
            "{\"asd\":\"sdf\"}",
            "{}",
            "{\"\":0}",
            "{\"foo\\u0000bar\": 42}",
            "{ \"min\": -1.0e+28, \"max\": 1.0e+28 }",
            "{\"x\":[{\"id\": \"x\"}], \"id\": \"y\"}",
            "{\"a\":[]}",
            "{\"title\":\"\\u041f\\u043e\"}",
            "{\n\"a\": \"b\"\n}",
            "{\"a\":\"b\",\"a\":\"c\"}",
            "{\"a\":\"b\",\"a\":\"b\"}",
            // Texts.
            "[\"\\u0060\\u012a\\u12AB\"]",
            "[\"\\uD801\\udc37\"]",
            "[\"\\ud83d\\ude39\\ud83d\\udc8d\"]",
            "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
            "[\"\\\\u0000\"]",
            "[\"\\\"\"]",
            "[\"a/*b*/c/*d//e\"]",
            "[\"\\\\a\"]",
            "[\"\\\\n\"]",
            "[\"\\u0012\"]",
            "[\"\\uFFFF\"]",
            "[ \"asd\"]",
            "[\"\\uDBFF\\uDFFF\"]",
            "[\"new\\u00A0line\"]",
            "[\"\u00f4\u008f\u00bf\u00bf\"]",
            "[\"\u00ef\u00bf\u00bf\"]",
            "[\"\\u0000\"]",
            "[\"\\u002c\"]",
            "[\"\u00cf\u0080\"]",
            "[\"\u00f0\u009b\u00bf\u00bf\"]",
            "[\"asd \"]",
            "\" \"",
            "[\"\\uD834\\uDd1e\"]",
            "[\"\\u0821\"]",
            "[\"\u00e2\u0080\u00a8\"]",
            "[\"\u00e2\u0080\u00a9\"]",
            "[\"\\u0061\\u30af\\u30EA\\u30b9\"]",
            "[\"new\\u000Aline\"]",
            "[\"\u007f\"]",
            "[\"\\uA66D\"]",
            "[\"\\u005C\"]",
            "[\"\u00e2\u008d\u0082\u00e3\u0088\u00b4\"]",
            "[\"\\u200B\"]",
            "[\"\\u2064\"]",
            "[\"\\uFDD0\"]",
            "[\"\\uFFFE\"]",
            "[\"\\u0022\"]",
            "[\"\u00e2\u0082\u00ac\u00f0\u009d\u0084\u009e\"]",
            "\"asd\"",
            "\"\"",
            "\"\\u0000\"",
            // Words.
            "false",
            "null",
            "true");

    private static final List<String> FORBIDDEN = List.of(
            // Arrays.
            "[1 true]",
            "[a\u00e5]",
            "[\"\": 1]",
            "[\"\"],",
            "[,1]",
            "[1,,2]",
            "[\"x\",,]",
            "[\"x\"]]",
            "[\"\",]",
            "[\"x\"",
            "[x",
            "[3[4]]",
            "[\u00ff]",
            "[1:2]",
            "[,]",
            "[-]",
            "[   , \"\"]",
            "[\"a\",\n4\n,1,",
            "[1,]",
            "[1,,]",
            "[\"\u000ba\"\\f]",
            "[*]",
            "[\"\"",
            "[1,",
            "[1,\n1\n,1",
            "[{}",
            "[fals]",
            "[nul]",
            "[tru]",
            "[1\u000c]",
            "[\u000c]",
            "[\u00a0]",
            // Numbers.
            "123\u0000",
            "[++1234]",
            "[+1]",
            "[+Inf]",
            "[-01]",
            "[-1.0.]",
            "[-2.]",
            "[-NaN]",
            "[.-1]",
            "[.2e-3]",
            "[0.1.2]",
            "[0.3e+]",
            "[0.3e]",
            "[0.e1]",
            "[0E+]",
            "[0E]",
            "[0e+]",
            "[0e]",
            "[1.0e+]",
            "[1.0e-]",
            "[1.0e]",
            "[1 000.0]",
            "[1eE2]",
            "[2.e+3]",
            "[2.e-3]",
            "[2.e3]",
            "[9.e+]",
            "[Inf]",
            "[NaN]",
            "[\u00ef\u00bc\u0091]",
            "[1+2]",
            "[0x1]",
            "[0x42]",
            "[Infinity]",
            "[0e+-1]",
            "[-123.123foo]",
            "[123\u00e5]",
            "[1e1\u00e5]",
            "[0\u00e5]",
            "[-Infinity]",
            "[-foo]",
            "[- 1]",
            "[-012]",
            "[-.123]",
            "[-1x]",
            "[1ea]",
            "[1e\u00e5]",
            "[1.]",
            "[.123]",
            "[1.2a-3]",
            "[1.8011670033376514H-308]",
            "[012]",
            "-",
            "2.",
            "01",
            "NaN",
            "Infinity",
            "1_000",
            // Objects.
            "[\"x\", truth]",
            "{[: \"x\"}\n",
            "{\"x\", null}",
            "{\"x\"::\"b\"}",
            "{\u00f0\u009f\u0087\u00a8}",
            "{\"a\":\"a\" 123}",
            "{key: 'value'}",
            "{\"\u00b9\":\"0\",}",
            "{\"a\" b}",
            "{:\"b\"}",
            "{\"a\" \"b\"}",
            "{\"a\":",
            "{\"a\"",
            "{1:1}",
            "{9999E9999:1}",
            "{null:null,null:null}",
            "{\"id\":0,,,,,}",
            "{'a':0}",
            "{\"id\":0,}",
            "{\"a\":\"b\"}/**/",
            "{\"a\":\"b\"}/**//",
            "{\"a\":\"b\"}//",
            "{\"a\":\"b\"}/",
            "{\"a\":\"b\",,\"c\":\"d\"}",
            "{a: \"b\"}",
            "{\"a\":\"a",
            "{ \"foo\" : \"bar\", \"a\" }",
            "{\"a\":\"b\"}#",
            // Texts.
            " ",
            "[\"\\uD800\\\"]",
            "[\"\\uD800\\u\"]",
            "[\"\\uD800\\u1\"]",
            "[\"\\uD800\\u1x\"]",
            "[\u00c3\u00a9]",
            "[\"\\x00\"]",
            "[\"\\\\\\\"]",
            "[\"\\\t\"]",
            "[\"\\\u00f0\u009f\u008c\u0080\"]",
            "[\"\\\"]",
            "[\"\\u00A\"]",
            "[\"\\uD834\\uDd\"]",
            "[\"\\uD800\\uD800\\x\"]",
            "[\"\\u\u00e5\"]",
            "[\"\\a\"]",
            "[\"\\uqqqq\"]",
            "[\"\\\u00e5\"]",
            "[\\u0020\"asd\"]",
            "[\\n]",
            "\"",
            "['single quote']",
            "abc",
            "[\"\\",
            "[\"a\u0000a\"]",
            "[\"new\nline\"]",
            "[\"\t\"]",
            "\"\\UA66D\"",
            "\"\"x",
            "[\"\u001f\"]",
            // The whole.
            "<.>",
            "[<null>]",
            "[1]x",
            "[1]]",
            "[\"asd]",
            "a\u00c3\u00a5",
            "[True]",
            "1]",
            "{\"x\": true,",
            "[][]",
            "]",
            "\u00ef\u00bb{}",
            "\u00e5",
            "[",
            "",
            "[\u0000]",
            "2@",
            "{}}",
            "{\"\":",
            "{\"a\":/*comment*/\"b\"}",
            "{\"a\": true} \"x\"",
            "['",
            "[,",
            "[{",
            "[\"a",
            "[\"a\"",
            "{",
            "{]",
            "{,",
            "{[",
            "{\"a",
            "{'a'",
            "[\"\\{[\"\\{[\"\\{[\"\\{",
            "\u00e9",
            "*",
            "{\"a\":\"b\"}#{}",
            "[\\u000A\"\"]",
            "[1",
            "[ false, nul",
            "[ true, fals",
            "[ false, tru",
            "{\"asd\":\"asd\"",
            "\u00c3\u00a5",
            "[\u00e2\u0081\u00a0]",
            "\u00ef\u00bb\u00bf",
            "[1}",
            "{\"a\":1]",
            "{\"a\":[1}",
            "True",
            "FALSE",
            "nulL",
            "// x\n1",
            "\u00ef\u00bb\u00bf1");

    /** Left open. A number that is no field is passed over whatever its size; text must be UTF-8 as it is written. */
    private static final List<String> OPEN_ACCEPTED = List.of(
            "[123.456e-789]",
            "[0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999006]",
            "[-1e+9999]",
            "[1.5e+9999]",
            "[-123123e100000]",
            "[123e-10000000]",
            "[-123123123123123123123123123123]",
            "[100000000000000000000]",
            "[-237462374673276894279832749832423479823246327846]");

    private static final List<String> OPEN_REFUSED = List.of(
            "[\"\u00e6\u0097\u00a5\u00d1\u0088\u00fa\"]",
            "[\"\u00ed\u00a0\u0080\"]",
            "[\"\u00ff\"]",
            "[\"\u0081\"]",
            "[\"\u00c0\u00af\"]",
            "[\"\u00fc\u0083\u00bf\u00bf\u00bf\u00bf\"]",
            "[\"\u00fc\u0080\u0080\u0080\u0080\u0080\"]",
            "[\"\u00e0\u00ff\"]",
            "[\"\u00f4\u0090\u0080\u0080\"]",
            "{\"\u00ff\":0}",
            "\u00ff\u00fe[\u0000\"\u0000]\u0000");

    /** Halves of characters that stand alone, written as escapes: passed over in a text, refused in a name. */
    private static final List<String> HALVES = List.of(
            "[\"\\uDADA\"]",
            "[\"\\uD888\\u1234\"]",
            "[\"\\uD800\\n\"]",
            "[\"\\uDd1ea\"]",
            "[\"\\uD800\\uD800\\n\"]",
            "[\"\\ud800\"]",
            "[\"\\ud800abc\"]",
            "[\"\\uDd1e\\uD834\"]",
            "[\"\\uDFAA\"]");

    private static Schema schema(String field, String records) {
        return SchemaFile.read("s.yaml", """
                name: s
                format: json
                fields:
                  - {name: at, type: timestamp}
                %s
                key: {field: at}
                time: at
                records: {%s}
                """.formatted(field, records)).schema();
    }

    /** Null when the record is a tuple, else why it is none. */
    private static @Nullable String refusal(Schema schema, byte[] record) {
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 0);
        try {
            RecordDecoder.of(RecordFormat.JSON, schema).decode(ByteBuffer.wrap(record), block);
            assertThat(block.size()).isOne();
            return null;
        } catch (RejectedRecordException e) {
            assertThat(block.size()).isZero();
            return e.getMessage();
        }
    }

    private static final Schema SKIPPED = schema("", "unknown: skip");
    private static final Schema KEPT = schema("  - {name: rest, type: string, nullable: true}", "unknown: into rest");

    private static byte[] record(String text) {
        return ("{\"at\": 1, \"x\":" + text + "}").getBytes(ISO_8859_1);
    }

    private static List<String> wrong(List<String> texts, boolean accepted) {
        List<String> wrong = new ArrayList<>();
        for (String text : texts) {
            for (Schema schema : List.of(SKIPPED, KEPT)) {
                String why = refusal(schema, record(text));
                if ((why == null) != accepted) {
                    wrong.add((schema.equals(KEPT) ? "kept " : "skipped ") + text + " -> " + why);
                } else if (why != null && (why.isBlank() || why.contains("\n"))) {
                    wrong.add(text + " is refused with no sentence: " + why);
                }
            }
        }
        return wrong;
    }

    @Test
    void whatIsAllowedIsAccepted() {
        assertThat(ALLOWED).hasSizeGreaterThan(90);
        assertThat(wrong(ALLOWED, true)).isEmpty();
    }

    @Test
    void whatIsForbiddenIsRefused() {
        assertThat(FORBIDDEN).hasSizeGreaterThan(180);
        assertThat(wrong(FORBIDDEN, false)).isEmpty();
    }

    @Test
    void whatIsLeftOpenIsAsStated() {
        assertThat(wrong(OPEN_ACCEPTED, true)).isEmpty();
        assertThat(wrong(OPEN_REFUSED, false)).isEmpty();
        assertThat(wrong(HALVES, true)).isEmpty();
        assertThat(wrong(List.of("{\"\\uDFAA\":0}"), false)).isEmpty();
    }

    /** 60 arrays within each other are read; 500, which parsers may refuse, are refused, and so are 100,000. */
    @Test
    void depthIsBounded() {
        assertThat(wrong(List.of("[".repeat(100_000), "{\"a\":".repeat(100_000), "[{\"\":".repeat(50_000)), false))
                .isEmpty();
        assertThat(wrong(List.of("[".repeat(500) + "]".repeat(500)), false)).isEmpty();
        assertThat(wrong(List.of("[".repeat(60) + "]".repeat(60)), true)).isEmpty();
    }

    /** A field has the value that is meant, whichever way it is written. */
    @Test
    void aFieldIsReadAsItIsMeant() throws Exception {
        Schema schema = schema("  - {name: x, type: string}", "unknown: skip");
        for (String[] one : new String[][] {
            {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
            {"\"\\uD834\\uDd1e\"", "\ud834\udd1e"},
            {"\"\\u0000\"", "\u0000"},
            {"\"a/*b*/c\"", "a/*b*/c"},
            {"\"\u00e2\u0082\u00ac\"", "\u20ac"},
            {"\"\"", ""}
        }) {
            TupleBlock block = new TupleBlock(RowLayout.of(schema), 0);
            RecordDecoder.of(RecordFormat.JSON, schema).decode(ByteBuffer.wrap(record(one[0])), block);
            assertThat(block.value(1, 0)).isEqualTo(one[1]);
        }
        for (String half : List.of("\"\\uD800\"", "\"\\uDd1ea\"", "\"\\uD888\\u1234\"")) {
            assertThat(refusal(schema, record(half))).as(half).contains("x");
        }
    }
}
