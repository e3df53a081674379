package io.waterwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every file that a page links to is there. */
final class LinksTest {
    private static final Pattern CODE = Pattern.compile("(?s)```.*?```");
    /** {@code [text](FILE#heading)}; addresses and headings of the same page are no files. */
    private static final Pattern LINK = Pattern.compile("]\\((?![a-z]+:|#)([^)\\s#]+)(?:#[^)\\s]*)?\\)");

    @Test
    void linksLeadToFiles() throws IOException {
        List<String> wrong = new ArrayList<>();
        int links = 0;
        for (Path page : ProjectFiles.all(name -> name.endsWith(".md"))) {
            String text = CODE.matcher(Files.readString(page)).replaceAll("");
            for (String file :
                    LINK.matcher(text).results().map(link -> link.group(1)).toList()) {
                links++;
                if (!Files.exists(page.resolveSibling(file))) {
                    wrong.add(ProjectFiles.name(page) + " links to " + file);
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(links).isGreaterThan(100);
    }
}
