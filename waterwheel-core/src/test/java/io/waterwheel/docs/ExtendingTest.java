package io.waterwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
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
}
