package io.waterwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/extending.md names files; each of them is there. */
final class ExtendingTest {
    private static final Pattern FILE = Pattern.compile("`([a-z]+/[A-Za-z/]+\\.java)`");

    @Test
    void eachFileThatThePageNamesIsThere() throws IOException {
        List<String> sources = ProjectFiles.all(name -> name.contains("/src/main/java/io/waterwheel/")).stream()
                .map(ProjectFiles::name)
                .toList();
        List<String> named = FILE.matcher(Files.readString(ProjectFiles.ROOT.resolve("docs/extending.md")))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
        assertThat(named).hasSizeGreaterThan(30);
        assertThat(named)
                .allSatisfy(file -> assertThat(sources).anyMatch(source -> source.endsWith("/io/waterwheel/" + file)));
    }

    /** What depends on the kind of key is a method of its scheme, so that a new kind has few places. */
    @Test
    void onlyTheRegistryAsksForTheKindOfAKey() throws IOException {
        assertThat(filesWith("instanceof KeySpec")).containsExactly("key/KeyScheme.java");
        assertThat(filesWith("FieldScheme(")).containsExactly("key/FieldScheme.java", "key/KeyScheme.java");
        assertThat(filesWith("PositionScheme(")).containsExactly("key/KeyScheme.java", "key/PositionScheme.java");
        assertThat(filesWith("DimensionScheme.of(")).containsExactly("key/KeyScheme.java");
    }

    /** A place that has a case for each type names FLOAT, which nothing else does. All others ask for the form. */
    @Test
    void onlyAFewPlacesTellTheTypesOfFieldsApart() throws IOException {
        List<String> places = filesWith(Pattern.compile("case [A-Z0-9_, ]*\\bFLOAT\\b|FieldType\\.FLOAT\\b")).stream()
                // Those are the types of formats, not of fields.
                .filter(name -> !name.startsWith("decode/avro/") && !name.startsWith("decode/protobuf/"))
                .toList();
        assertThat(places)
                .containsExactly(
                        "client/JavaTypes.java",
                        "decode/TypedValues.java",
                        "decode/ValueParser.java",
                        "key/KeyCodec.java",
                        "query/expression/ValueType.java",
                        "schema/FieldType.java",
                        "topology/flightsql/TypeRows.java",
                        "topology/rpc/ArrowRows.java",
                        "trino/ColumnTypes.java",
                        "trino/Literals.java");
        String page = Files.readString(ProjectFiles.ROOT.resolve("docs/extending.md"));
        int begin = page.indexOf("## A field type");
        int end = page.indexOf("\n## ", begin);
        String section = page.substring(begin, end < 0 ? page.length() : end);
        List<String> named = Pattern.compile("(?m)^\\d\\. .*")
                .matcher(section)
                .results()
                .map((MatchResult found) -> found.group())
                .toList();
        assertThat(named).hasSizeLessThanOrEqualTo(8);
        assertThat(places).allSatisfy(place -> assertThat(named).anyMatch(line -> line.contains(place)));
    }

    private static List<String> filesWith(String text) throws IOException {
        return filesWith(Pattern.compile(Pattern.quote(text)));
    }

    private static List<String> filesWith(Pattern pattern) throws IOException {
        List<String> files = new ArrayList<>();
        for (Path file : ProjectFiles.all(name -> name.contains("/src/main/java/io/waterwheel/"))) {
            if (pattern.matcher(Files.readString(file)).find()) {
                String name = ProjectFiles.name(file);
                files.add(name.substring(name.indexOf("/io/waterwheel/") + "/io/waterwheel/".length()));
            }
        }
        Collections.sort(files);
        return files;
    }
}
