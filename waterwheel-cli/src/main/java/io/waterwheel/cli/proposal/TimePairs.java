package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.FieldNames;
import java.util.ArrayList;
import java.util.Arrays;
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
            "hours",
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

    private TimePairs() {}

    /** With one column in the place of two, where one has the day of the time, and the other its time of day. */
    static List<ColumnSample> paired(List<ColumnSample> columns, FileFacts facts) {
        ColumnSample day = ColumnRoles.time(columns);
        if (day == null || !day.isDay()) {
            return columns;
        }
        List<ColumnSample> clocks =
                columns.stream().filter(ColumnSample::isTimeOfDay).toList();
        ColumnSample clock = clock(day, clocks, columns, facts.time);
        ColumnSample both = clock == null ? null : ColumnSample.pair(day, clock, name(day, clock, columns));
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
            return 1; // a column without a name
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
