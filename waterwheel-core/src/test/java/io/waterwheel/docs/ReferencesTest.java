package io.waterwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every source that code or a page cites is in docs/references.md, and a paper is always named. */
final class ReferencesTest {
    /** {@code [Wang 2018]}. */
    private static final Pattern CITATION = Pattern.compile("\\[([A-Z][\\w'-]+ (?:19|20)\\d\\d)]");

    private static final Pattern ENTRY = Pattern.compile("(?m)^\\*\\*\\[([^\\]]+)]\\*\\*");
    /** A paper without a name. */
    private static final Pattern UNNAMED = Pattern.compile("\\b[Tt]he papers?\\b|\\bthat paper\\b|\\(paper,");

    @Test
    void everyCitationHasAnEntry() throws IOException {
        Set<String> entries = ENTRY.matcher(Files.readString(ProjectFiles.ROOT.resolve("docs/references.md")))
                .results()
                .map(entry -> entry.group(1))
                .collect(Collectors.toSet());
        assertThat(entries).hasSizeGreaterThan(10);
        List<String> wrong = new ArrayList<>();
        for (Path file : citing()) {
            CITATION.matcher(ProjectFiles.oneLine(file))
                    .results()
                    .map(citation -> citation.group(1))
                    .filter(source -> !entries.contains(source))
                    .forEach(source -> wrong.add(ProjectFiles.name(file) + " cites [" + source + "]"));
        }
        assertThat(wrong).as("citations without an entry in docs/references.md").isEmpty();
    }

    @Test
    void aPaperIsNamed() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path file : citing()) {
            UNNAMED.matcher(ProjectFiles.oneLine(file))
                    .results()
                    .forEach(found -> wrong.add(ProjectFiles.name(file) + ": '" + found.group()
                            + "': name it as in docs/references.md, for example [Wang 2018]"));
        }
        assertThat(wrong).isEmpty();
    }

    private static List<Path> citing() throws IOException {
        return ProjectFiles.all(name -> (name.endsWith(".java") || name.endsWith(".md"))
                && !name.endsWith("/ReferencesTest.java")
                && !name.equals("docs/references.md"));
    }
}
