package io.waterwheel.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.docs.ProjectFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * docs/protocol.md is the one list of rules: every "rule N" of sources and pages is on it, the classes it names cite
 * the rule, and docs/exactness.md has exactly the planted bugs that there are.
 */
final class ProtocolRulesTest {
    private static final Path PAGE = ProjectFiles.ROOT.resolve("docs/protocol.md");

    private static final Pattern HEADING = Pattern.compile("^## (\\d+)\\. (.+)$", Pattern.MULTILINE);
    /** "rule 4", "rules 1, 4 and 6", "rules 3 to 7". */
    private static final Pattern CITATION =
            Pattern.compile("\\b[Rr]ules? (\\d+(?:(?:, and | and |, | to )\\d+)*)(?![\\d.])");

    private static final Pattern KEEPERS = Pattern.compile("\\*\\*Kept by\\*\\* ([^.]+)\\.");
    private static final Pattern TESTED = Pattern.compile("\\*\\*Tested by\\*\\* ([^.]+)\\.");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    /** A row of the table of planted bugs: name, rule, kind, what is taken out. */
    private static final Pattern ROW =
            Pattern.compile("^\\| ([^|]+) \\| (\\d+) \\| (safety|liveness|memory) \\| ([^|]+) \\|", Pattern.MULTILINE);

    @Test
    void rulesAreNumberedWithoutGaps() throws IOException {
        List<Integer> numbers = new ArrayList<>(rules().keySet());
        assertThat(numbers).as("headings '## N. ...' of %s", PAGE).isNotEmpty();
        for (int i = 0; i < numbers.size(); i++) {
            assertThat(numbers.get(i)).isEqualTo(i + 1);
        }
    }

    @Test
    void everyCitationIsOfARule() throws IOException {
        Set<Integer> known = rules().keySet();
        List<String> wrong = new ArrayList<>();
        for (Path file : ProjectFiles.all(ProtocolRulesTest::mayCite)) {
            for (int rule : cited(file)) {
                if (!known.contains(rule)) {
                    wrong.add(ProjectFiles.name(file) + " cites rule " + rule);
                }
            }
        }
        assertThat(wrong)
                .as("citations of rules that docs/protocol.md does not have")
                .isEmpty();
    }

    @Test
    void everyRuleIsCitedByTheClassesThatKeepIt() throws IOException {
        Map<String, Path> sources = byName("src/main/java");
        List<String> wrong = new ArrayList<>();
        for (Map.Entry<Integer, String> rule : rules().entrySet()) {
            List<String> keepers = names(KEEPERS, rule.getValue());
            if (keepers.isEmpty()) {
                wrong.add("rule " + rule.getKey() + " names no class that keeps it");
            }
            for (String keeper : keepers) {
                Path source = sources.get(keeper);
                if (source == null) {
                    wrong.add("rule " + rule.getKey() + " names " + keeper + ", which is no class");
                } else if (!cited(source).contains(rule.getKey())) {
                    wrong.add(keeper + " does not cite rule " + rule.getKey());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void everyRuleHasAPlantedBugOrATest() throws IOException {
        Set<Integer> planted = planted().map(PlantedBug::rule).collect(Collectors.toSet());
        Map<String, Path> tests = byName("src/test/java");
        for (Map.Entry<Integer, String> rule : rules().entrySet()) {
            List<String> named = names(TESTED, rule.getValue());
            assertThat(tests.keySet()).as("tests of rule %s", rule.getKey()).containsAll(named);
            if (named.isEmpty()) {
                assertThat(planted).as("rules with a planted bug").contains(rule.getKey());
            }
        }
    }

    /** The table is what {@link PlantedBugTest} prints, but for the number of seeds. */
    @Test
    void tableHasThePlantedBugs() throws IOException {
        List<String> rows = ROW.matcher(Files.readString(ProjectFiles.ROOT.resolve("docs/exactness.md")))
                .results()
                .map(row -> row.group(1) + " | " + row.group(2) + " | " + row.group(3) + " | " + row.group(4))
                .toList();
        List<String> bugs = planted()
                .map(bug -> bug.name() + " | " + bug.rule() + " | "
                        + bug.kind().name().toLowerCase(Locale.ROOT) + " | " + bug.what())
                .toList();
        assertThat(rows).containsExactlyInAnyOrderElementsOf(bugs);
    }

    private static Stream<PlantedBug> planted() {
        return Stream.of(PlantedBugs.ALL, PlantedLogBugs.ALL, PlantedStreamBugs.ALL, PlantedScaleBugs.ALL)
                .flatMap(List::stream)
                .filter(bug -> bug.kind() != PlantedBug.Kind.NONE);
    }

    /** The text of each rule by its number. */
    private static Map<Integer, String> rules() throws IOException {
        String page = Files.readString(PAGE);
        Map<Integer, String> rules = new TreeMap<>();
        for (String section : page.split("(?m)(?=^## )", -1)) {
            Matcher heading = HEADING.matcher(section);
            if (heading.lookingAt()) {
                rules.put(Integer.valueOf(heading.group(1)), section);
            }
        }
        return rules;
    }

    private static List<String> names(Pattern list, String section) {
        Matcher found = list.matcher(section);
        return found.find()
                ? NAME.matcher(found.group(1))
                        .results()
                        .map(name -> name.group(1))
                        .toList()
                : List.of();
    }

    /** The rules that a file cites; "3 to 7" stands for all five. */
    private static Set<Integer> cited(Path file) throws IOException {
        String text = ProjectFiles.oneLine(file);
        Set<Integer> rules = new TreeSet<>();
        for (Matcher citation = CITATION.matcher(text); citation.find(); ) {
            String numbers = citation.group(1);
            for (String part : numbers.split(", and | and |, ", -1)) {
                String[] ends = part.split(" to ", -1);
                for (int rule = Integer.parseInt(ends[0]); rule <= Integer.parseInt(ends[ends.length - 1]); rule++) {
                    rules.add(rule);
                }
            }
        }
        return rules;
    }

    private static boolean mayCite(String name) {
        return name.endsWith(".java") || name.endsWith(".md") || name.endsWith(".proto") || name.endsWith(".yaml");
    }

    private static Map<String, Path> byName(String folder) throws IOException {
        Map<String, Path> classes = new TreeMap<>();
        for (Path file : ProjectFiles.all(name -> name.endsWith(".java") && name.contains(folder))) {
            classes.put(file.getFileName().toString().replace(".java", ""), file);
        }
        return classes;
    }
}
