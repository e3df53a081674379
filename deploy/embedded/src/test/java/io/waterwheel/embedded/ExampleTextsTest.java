package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each example of the client's javadoc and of the pages is word for word a body of {@link ExamplesTest}. */
final class ExampleTextsTest {
    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
    private static final Pattern JAVADOC = Pattern.compile("<pre>\\{@code\\n(.*?)\\n *\\* *}</pre>", Pattern.DOTALL);
    private static final Pattern PAGE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern DEPENDENCY =
            Pattern.compile("<artifactId>(.*?)</artifactId>\\s*<version>(.*?)</version>");
    private static final Pattern VERSION =
            Pattern.compile("<artifactId>waterwheel-parent</artifactId>\\s*<version>(.*?)</version>");
    private static final Pattern BODY = Pattern.compile("// example\\n(.*?)// end of example", Pattern.DOTALL);

    @Test
    void everyExampleIsATest() throws IOException {
        List<String> bodies =
                found(BODY, Files.readString(Path.of("src/test/java/io/waterwheel/embedded/ExamplesTest.java"), UTF_8));
        List<String> examples = new ArrayList<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve("waterwheel-client/src/main/java"))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                for (String example : found(JAVADOC, Files.readString(file, UTF_8))) {
                    assertThat(bodies)
                            .as("an example of %s that ExamplesTest lacks", file)
                            .contains(example);
                    examples.add(example);
                }
            }
        }
        for (String page :
                List.of("README.md", "docs/clients.md", "docs/quickstart-kafka.md", "docs/queries.md", "docs/sql.md")) {
            for (String example : found(PAGE, Files.readString(ROOT.resolve(page), UTF_8))) {
                assertThat(bodies)
                        .as("an example of %s that ExamplesTest lacks", page)
                        .contains(example);
                examples.add(example);
            }
        }
        assertThat(examples).as("no body is left over").containsExactlyInAnyOrderElementsOf(bodies);
    }

    /** What a page tells to depend on and to install is a module of this version. */
    @Test
    void everyDependencyIsAModule() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/clients.md"), UTF_8);
        String version = group(VERSION, Files.readString(ROOT.resolve("pom.xml"), UTF_8));
        List<String> modules = new ArrayList<>();
        Matcher dependency = DEPENDENCY.matcher(page);
        while (dependency.find()) {
            assertThat(dependency.group(2)).as(dependency.group(1)).isEqualTo(version);
            assertThat(Files.readString(ROOT.resolve(dependency.group(1)).resolve("pom.xml"), UTF_8))
                    .contains("<artifactId>" + dependency.group(1) + "</artifactId>");
            assertThat(page).contains("mvn -q install -DskipTests -pl " + dependency.group(1) + " -am");
            modules.add(dependency.group(1));
        }
        assertThat(modules).containsExactly("waterwheel-client", "waterwheel-storm");
    }

    private static String group(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as("%s", pattern).isTrue();
        return matcher.group(1);
    }

    /**
     * The texts, without what a formatter or a place changes: stars of a comment, blanks, remarks, the server's name.
     */
    private static List<String> found(Pattern pattern, String source) {
        List<String> texts = new ArrayList<>();
        Matcher matcher = pattern.matcher(source);
        while (matcher.find()) {
            texts.add(matcher.group(1)
                    .replace("\"grpc://127.0.0.1:7070\"", "url")
                    .replace("//127.0.0.1:7070/?", "//\" + url.substring(7) + \"/?")
                    .replaceAll("(?m)^ *\\* ?", "")
                    .replaceAll("(?m)//.*$", "")
                    .replaceAll("\\s+", ""));
        }
        return texts;
    }
}
