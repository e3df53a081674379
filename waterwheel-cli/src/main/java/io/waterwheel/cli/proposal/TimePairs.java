package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.FieldNames;
import io.waterwheel.schema.text.TimePattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the column with the time of day of a column of days. The values of a duration, or of the hour at which a shop
 * opens, look the same: so the name has to say that it is a time of day, where names say anything.
 */
final class TimePairs {
    private static final Set<String> DAYS = Set.of(
            "date", "day", "datum", "tag", "fecha", "dia", "jour", "data", "giorno", "dag", "dato", "dzien", "gun");
    private static final Set<String> CLOCKS = Set.of(
            "time",
            "timestamp",
            "clock",
            "hour",
            "hhmm",
            "hhmmss",
            "zeit",
            "uhrzeit",
            "uhr",
            "startzeit",
            "heure",
            "hora",
            "horario",
            "ora",
            "orario",
            "tijd",
            "tijdstip",
            "tid",
            "klokkeslaet",
            "klockslag",
            "godzina",
            "czas",
            "saat",
            "vremya");
    /** Beside one of these a time is how long something takes. */
    private static final Set<String> LENGTHS = Set.of(
            "duration",
            "elapsed",
            "dauer",
            "length",
            "delay",
            "duree",
            "duracion",
            "durata",
            "duur",
            "run",
            "life",
            "up",
            "down",
            "wait",
            "waiting",
            "travel",
            "response",
            "reaction",
            "lap",
            "total",
            "pace",
            "lead",
            "cycle",
            "processing",
            "idle",
            "working",
            "work",
            "play",
            "flight",
            "trip",
            "ride",
            "swim",
            "bike",
            "race",
            "split",
            "finish",
            "gap",
            "age",
            "moving",
            "driving",
            "cooking",
            "sleep",
            "parking",
            "transit",
            "dwell");

    /** How well a column without a name fits. */
    private static final int NAMELESS = 1;

    private TimePairs() {}

    /** With one column in the place of two, where one has the day of the time, and the other its time of day. */
    static List<ColumnSample> paired(List<ColumnSample> columns, FileFacts facts) {
        List<String> halves = facts.times == null ? List.of() : halves(facts.times);
        boolean said = !halves.isEmpty() && columns.stream().noneMatch(ColumnSample::mostlyFits);
        ColumnSample day = said ? saidDay(columns, facts.time) : ColumnRoles.time(columns);
        if (day == null || !(said || day.isDay())) {
            return columns;
        }
        List<ColumnSample> clocks = columns.stream()
                .filter(column -> column != day)
                .filter(column -> said
                        ? isHalf(column, 1)
                        : column.isTimeOfDay()
                                || (column.digitTimes.areDigitClocks(column.known())
                                        && (score(day.name, column.name) > NAMELESS
                                                || name(day, column, columns).equals(facts.time))))
                .toList();
        // Who says how both are written means the only two columns that are.
        ColumnSample clock = said && clocks.size() == 1 && facts.time == null
                ? clocks.get(0)
                : clock(day, clocks, columns, facts.time);
        if (clock == null) {
            return columns;
        }
        String name = name(day, clock, columns);
        ColumnSample both = said ? pair(day, clock, name, List.of(facts.times)) : pair(day, clock, name);
        if (both == null) {
            return columns;
        }
        both.others = clocks.stream()
                .filter(column -> column != clock)
                .map(column -> column.name)
                .collect(Collectors.joining(", "));
        return columns.stream()
                .filter(column -> column != clock)
                .map(column -> column == day ? both : column)
                .toList();
    }

    /** The time that a day and a time of day in two columns make; null where no form reads both. */
    static @Nullable ColumnSample pair(ColumnSample day, ColumnSample clock, String name) {
        boolean iso = day.isTime() && clock.digitTimes.areIso(clock.known());
        String compact = day.compactPattern();
        List<String> days =
                day.isTime() ? List.of(DigitTimes.ISO_DAY) : compact != null ? List.of(compact) : day.timePatterns();
        List<String> patterns = iso ? List.of() : clock.digitTimes.behind(days, clock.known());
        if (!iso && patterns.isEmpty()) {
            return null;
        }
        ColumnSample both = pair(day, clock, name, patterns);
        both.fraction = iso ? clock.fraction : 0;
        both.iso.zoneless = iso ? both.values : 0;
        both.pairUnread = clock.digitTimes.unread(clock.known());
        return both;
    }

    private static ColumnSample pair(ColumnSample day, ColumnSample clock, String name, List<String> patterns) {
        ColumnSample both = new ColumnSample(name, day.style);
        both.pair = List.of(day, clock);
        both.pairPatterns = patterns;
        both.values = Math.min(day.values, clock.values);
        both.empty = Math.max(day.empty, clock.empty);
        both.marks = Math.max(day.marks, clock.marks);
        both.words.addAll(day.words);
        both.words.addAll(clock.words);
        return both;
    }

    /** Whether the values are the days (0) or the times of day (1) of the pattern that a person says. */
    private static boolean isHalf(ColumnSample column, int half) {
        return column.digitTimes.isHalf(half, column.known());
    }

    /** The column whose days a person says the form of; one that all rows have, and that is called so, comes first. */
    private static @Nullable ColumnSample saidDay(List<ColumnSample> columns, @Nullable String said) {
        return columns.stream()
                .filter(column -> isHalf(column, 0) && (said == null || said.startsWith(column.name + "_")))
                .min(Comparator.comparing(ColumnSample::lacksSome)
                        .thenComparing(column ->
                                !ColumnRoles.TIME_NAME.matcher(column.name).matches()))
                .orElse(null);
    }

    /** A pattern of days, and one of times of day behind a day, where a pattern has both with a space between. */
    static List<String> halves(String pattern) {
        int space = pattern.indexOf(' ');
        for (; space >= 0; space = pattern.indexOf(' ', space + 1)) {
            String day = pattern.substring(0, space);
            String clock = DigitTimes.ISO_DAY + pattern.substring(space);
            if (isPattern(day) && isPattern(clock)) {
                return List.of(day, clock);
            }
        }
        return List.of();
    }

    private static boolean isPattern(String text) {
        try {
            TimePattern unused = TimePattern.of(text);
            return true;
        } catch (IllegalArgumentException none) {
            return false;
        }
    }

    /** Refuses a pattern that a person says and that no column is written by. */
    static void requireUsed(FileLook look, List<ColumnSample> columns) {
        String pattern = look.facts.times;
        if (pattern == null || columns.stream().anyMatch(ColumnSample::mostlyFits)) {
            return;
        }
        List<String> halves = halves(pattern);
        ColumnSample day = halves.isEmpty() ? null : saidDay(columns, null);
        ColumnSample nearest = columns.stream()
                .filter(column -> !column.unfit.text().isEmpty())
                .max(Comparator.comparing((ColumnSample column) -> column.forms.most())
                        .thenComparing(column ->
                                ColumnRoles.TIME_NAME.matcher(column.name).matches()))
                .orElse(null);
        List<String> clocks = columns.stream()
                .filter(column -> day != null && column != day && isHalf(column, 1))
                .map(column -> column.name)
                .toList();
        throw FileLook.bad("--times '" + pattern + "' fits no column of " + look.source
                + (day != null
                        ? ": the days of " + day.name + " are written so, but "
                                + (clocks.isEmpty()
                                        ? "no column has the times of day"
                                        : "the times of day may be " + String.join(" or ", clocks)
                                                + ": say which by --time-field, such as --time-field " + day.name + "_"
                                                + clocks.get(0))
                        : nearest == null ? "" : ": of " + nearest.name + ", it does not read " + nearest.unfit.text())
                + look.adviceOfEncoding());
    }

    /** The columns that look like the time of day of a day, as they are called, too. */
    static List<ColumnSample> unpaired(ColumnSample day, List<ColumnSample> columns) {
        return columns.stream()
                .filter(column -> column != day)
                .filter(column -> {
                    int score = score(day.name, column.name);
                    // Without a name, 10.12.0.7 and 12.50 EUR look like one too.
                    return (score > 0 && column.isTimeOfDay())
                            || (score > NAMELESS
                                    && (column.digitTimes.areLikeClocks(column.known())
                                            || column.digitTimes.areDigitClocks(column.known())
                                            || column.digitTimes.areNumbersLikeClocks(column.known())));
                })
                .toList();
    }

    /** @param said what a person calls the time; null: nothing */
    private static @Nullable ColumnSample clock(
            ColumnSample day, List<ColumnSample> clocks, List<ColumnSample> columns, @Nullable String said) {
        ColumnSample best = null;
        int bestScore = 0;
        boolean several = false;
        for (ColumnSample column : clocks) {
            if (said != null) {
                if (said.equals(name(day, column, columns))) {
                    return column;
                }
                continue;
            }
            int score = score(day.name, column.name);
            several = score == bestScore ? score > 0 : several && score < bestScore;
            if (score > bestScore) {
                best = column;
                bestScore = score;
            }
        }
        return several ? null : best;
    }

    /** How well a name fits a time of day of that day; 0: it does not. */
    private static int score(String day, String clock) {
        if (clock.matches("c[0-9]+")) {
            return NAMELESS;
        }
        List<String> words = words(clock);
        if (words.stream().noneMatch(CLOCKS::contains) || words.stream().anyMatch(LENGTHS::contains)) {
            return 0;
        }
        // start_date and start_time, date and time.
        List<String> about = new ArrayList<>(words);
        about.removeAll(CLOCKS);
        List<String> aboutDay = words(day);
        aboutDay.removeAll(DAYS);
        return about.equals(aboutDay) ? 3 : 2;
    }

    private static List<String> words(String name) {
        return new ArrayList<>(Arrays.asList(name.replaceAll("(?<=[a-z])(?=[A-Z])", "_")
                .toLowerCase(Locale.ROOT)
                .split("[^a-z]+")));
    }

    /** What the field of both is called. */
    static String name(ColumnSample day, ColumnSample clock, List<ColumnSample> columns) {
        return FieldNames.of(Stream.concat(
                                columns.stream().map(column -> column.name), Stream.of(day.name + "_" + clock.name))
                        .toList())
                .get(columns.size());
    }
}
