package io.waterwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The decisions have one form, and docs/decisions/README.md lists them all. */
final class DecisionsTest {
    private static final Pattern HEADING = Pattern.compile("(?m)^## (.+)$");

    @Test
    void everyDecisionHasTheSameForm() throws IOException {
        List<Path> decisions = ProjectFiles.all(name -> name.matches("docs/decisions/\\d{4}-.*\\.md"));
        assertThat(decisions).isNotEmpty();
        String index = Files.readString(ProjectFiles.ROOT.resolve("docs/decisions/README.md"));
        int before = 0;
        for (Path decision : decisions) {
            String file = decision.getFileName().toString();
            String text = Files.readString(decision);
            String title = text.lines().findFirst().orElse("");
            assertThat(title).as(file).startsWith("# " + file.substring(0, 4) + ". ");
            assertThat(text.lines().skip(2).findFirst().orElse(""))
                    .as("%s, third line", file)
                    .matches("Status: (accepted|replaced by \\[\\d{4}\\]\\(.+\\))\\. Date: \\d{4}-\\d\\d-\\d\\d\\.");
            assertThat(HEADING.matcher(text).results().map((MatchResult heading) -> heading.group(1)))
                    .as("sections of %s", file)
                    .containsExactly("Context", "Decision", "Consequences", "Alternatives");
            assertThat(index)
                    .as("docs/decisions/README.md")
                    .contains("| [" + file.substring(0, 4) + "](" + file + ") | " + title.substring(8) + " |");
            int number = Integer.parseInt(file.substring(0, 4));
            for (int gap = before + 1; gap < number; gap++) {
                assertThat(index).as("a number that is not used").contains(String.format("%04d", gap));
            }
            before = number;
        }
    }
}
