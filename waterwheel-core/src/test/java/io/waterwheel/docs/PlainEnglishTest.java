package io.waterwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Pages, comments, messages and help texts name the process, thread or task that acts, rather than a person, and their
 * lines fit on a screen.
 */
final class PlainEnglishTest {
    private static final int COLUMNS = 120;

    /** What to write instead, by the word. A word may go over the end of a line. */
    private static final Map<Pattern, String> BETTER = new LinkedHashMap<>();

    static {
        word("whoever", "name the process, thread or task (\"the caller\", \"an indexer that\")");
        word("nobody", "name the process, thread or task, or what has no owner, reader or answer");
        word("any more", "\"no longer\", or a sentence without it");
        word("so many", "name the number: \"at most {@code limit} rows\", \"1 in N values\"");
        word("however often", "\"even when ... several times\"");
    }

    /** Text of others, which is kept as it is. */
    private static final Pattern FOREIGN = Pattern.compile("/compose-spec/|/ATTRIBUTION\\.md$");

    private static void word(String word, String better) {
        BETTER.put(
                Pattern.compile("\\b" + word.replace(" ", "\\s+(?:(?:\\*|//)\\s+)?") + "\\b", Pattern.CASE_INSENSITIVE),
                better);
    }

    @Test
    void wordsAreTheFieldsTerms() throws IOException {
        List<Path> files = ProjectFiles.all(name ->
                (name.endsWith(".md") || (name.endsWith(".java") && name.contains("/src/main/"))) && ours(name));
        assertThat(files).hasSizeGreaterThan(100);
        List<String> wrong = new ArrayList<>();
        for (Path file : files) {
            String text = Files.readString(file);
            BETTER.forEach((word, better) -> word.matcher(text)
                    .results()
                    .forEach(found -> wrong.add(ProjectFiles.name(file) + ":" + line(text, found.start()) + ": '"
                            + found.group().replaceAll("\\s+\\W*", " ") + "': better " + better)));
        }
        assertThat(wrong).isEmpty();
    }

    /** Tables, headings, code and lines without a space to break at may be longer. */
    @Test
    void linesOfPagesFitOnAScreen() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path file : ProjectFiles.all(name -> name.endsWith(".md") && ours(name))) {
            boolean code = false;
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                number++;
                String text = line.strip();
                if (text.startsWith("```")) {
                    code = !code;
                }
                if (line.length() > COLUMNS
                        && !code
                        && !line.startsWith("    ")
                        && !text.startsWith("|")
                        && !text.startsWith("#")
                        && !isOneLink(text)) {
                    wrong.add(ProjectFiles.name(file) + ":" + number + ": " + line.length()
                            + " columns: wrap the line at " + COLUMNS);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** A link or a span of code that is too long has no place to break. */
    private static boolean isOneLink(String text) {
        String rest = text.replaceAll("^(?:[-*]|\\d+\\.) ", "").replaceAll("`[^`]*`|\\[[^\\]]*]\\([^)]*\\)", "x");
        return !rest.contains(" ");
    }

    private static boolean ours(String name) {
        return !FOREIGN.matcher(name).find();
    }

    private static long line(String text, int offset) {
        return text.substring(0, offset).lines().count() + (offset == 0 || text.charAt(offset - 1) == '\n' ? 1 : 0);
    }
}
