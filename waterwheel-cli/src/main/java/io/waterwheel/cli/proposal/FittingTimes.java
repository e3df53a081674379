package io.waterwheel.cli.proposal;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The patterns that read the time of a file, the likeliest first. A stream has one.
 *
 * @param evidence what speaks for the first of several; empty: nothing, or something for each
 */
record FittingTimes(List<String> patterns, String evidence) {
    private static final String IN_ORDER = "times are in order by this alone";

    /** @param said the pattern that a person says; null: none */
    static FittingTimes of(ColumnSample time, List<ColumnSample> values, CsvStyle style, @Nullable String said) {
        List<String> compact = time.pair.isEmpty() && !time.isTime() ? time.compactPatterns() : List.of();
        List<String> fitting = compact.isEmpty() ? time.timePatterns() : compact;
        if (fitting.isEmpty()) {
            // A pattern that a person says is that of another column where the time needs none.
            return new FittingTimes(said == null ? List.of() : List.of(said), "");
        }
        // Day and month can be told apart by another column than the time.
        long most = fitting.stream()
                .mapToLong(pattern -> columnsOf(pattern, values))
                .max()
                .orElseThrow();
        // 07.10.2021 is read alike by dd.MM.yyyy and d.M.yyyy: only what would be another time is a doubt.
        Set<String> forms = new HashSet<>();
        List<String> distinctForms = fitting.stream()
                .filter(pattern -> columnsOf(pattern, values) == most)
                .filter(pattern -> forms.add(pattern.replaceAll("(?<!M)MM(?!M)", "M")
                        .replace("dd", "d")
                        .replace("HH", "H")
                        .replace("hh", "h")))
                .toList();
        return compact.isEmpty()
                ? ranked(time, distinctForms, style)
                : new FittingTimes(
                        distinctForms,
                        distinctForms.get(0).equals(DigitTimes.SHORT_YEAR)
                                ? "it would be of years before 1950"
                                : "a year of four digits is the likelier");
    }

    /** Adds to what cannot be told by the rows how the times are to be read, if so. */
    void addUndecided(List<String> open, ColumnSample time, FileLook look) {
        if (patterns.size() > 1 && evidence.isEmpty()) {
            open.add("times of " + time.name + " may be " + String.join(" or ", patterns) + ", and none of the first "
                    + look.rows + " rows tells which: say it by --times, such as --times '" + patterns.get(0) + "'");
        }
        if (look.facts.time == null && look.facts.times == null && time.digitTimes.mayBeShortYears(time)) {
            open.add("whether " + time.name + " counts seconds since 1970 or has times such as " + DigitTimes.SHORT_YEAR
                    + " cannot be told: say --time-field " + FileLook.word(time.name) + " or --times "
                    + DigitTimes.SHORT_YEAR);
        }
    }

    private static FittingTimes ranked(ColumnSample time, List<String> distinctForms, CsvStyle style) {
        List<String> years =
                distinctForms.stream().filter(FittingTimes::isYearFirst).toList();
        List<String> days = new ArrayList<>(distinctForms);
        days.removeAll(years);
        List<String> all = List.copyOf(days);
        days.sort(Comparator.comparing(
                pattern -> all.stream().noneMatch(other -> time.course(pattern).isInOrderUnlike(time.course(other)))));
        String ofDays = evidence(time, days, style);
        if (years.isEmpty() || days.isEmpty()) {
            return new FittingTimes(distinctForms.size() > 1 && years.isEmpty() ? days : distinctForms, ofDays);
        }
        boolean points = days.size() == 1 && days.get(0).contains(".");
        String signs = points ? "points speak for the day first" : style.saysDayFirst();
        TimeForms.Course yearFirst = time.course(years.get(0));
        boolean orderIsEnough = !time.areSortedTexts() && signs.isEmpty();
        List<String> whyYears = days.stream()
                .map(day -> whyLikelier(yearFirst, time.course(day), orderIsEnough))
                .toList();
        List<String> whyDays = days.stream()
                .map(day -> whyLikelier(time.course(day), yearFirst, true))
                .toList();
        List<String> daysThenYears = new ArrayList<>(days);
        daysThenYears.addAll(years);
        List<String> yearsThenDays = new ArrayList<>(years);
        yearsThenDays.addAll(days);
        if (!whyYears.contains("")) {
            return new FittingTimes(yearsThenDays, whyYears.get(0));
        }
        boolean daysAreAlike = days.size() > 1 && ofDays.isEmpty();
        if (!whyDays.contains("")) {
            return daysAreAlike
                    ? new FittingTimes(days, "")
                    : new FittingTimes(daysThenYears, (days.size() > 1 ? ofDays + "; " : "") + whyDays.get(0));
        }
        if (years.get(0).contains("-")) {
            return new FittingTimes(yearsThenDays, "");
        }
        boolean nothingElse = days.stream()
                .noneMatch(day -> speaksFor(yearFirst, time.course(day)) || speaksFor(time.course(day), yearFirst));
        return new FittingTimes(daysThenYears, nothingElse && !daysAreAlike ? signs : "");
    }

    /** Whether something speaks for one reading of times, and not for the other. */
    private static boolean speaksFor(TimeForms.Course one, TimeForms.Course other) {
        return one.isInOrderUnlike(other) || one.isNotAheadUnlike(other) || one.isShorterThan(other);
    }

    /**
     * Why one reading of times is likelier than another; empty: it is not, or something speaks for each.
     *
     * @param orderIsEnough whether order alone tells, and not only beside something else
     */
    private static String whyLikelier(TimeForms.Course reading, TimeForms.Course rival, boolean orderIsEnough) {
        if (speaksFor(rival, reading)) {
            return "";
        }
        boolean notAhead = reading.isNotAheadUnlike(rival) && !reading.isLongerThan(rival);
        boolean shorter = reading.isShorterThan(rival);
        if (reading.isInOrderUnlike(rival) && (orderIsEnough || notAhead || shorter)) {
            return IN_ORDER;
        } else if (notAhead) {
            return "times are not years ahead by this alone";
        }
        return shorter ? "times are nearest to each other by this" : "";
    }

    /** What speaks for the first of patterns that have the year behind day and month; empty: nothing, or for each. */
    private static String evidence(ColumnSample time, List<String> patterns, CsvStyle style) {
        if (patterns.isEmpty()) {
            return "";
        }
        String first = patterns.get(0);
        String dayFirst = style.saysDayFirst();
        boolean halves = first.endsWith("a");
        String signs = !halves ? dayFirst : dayFirst.isEmpty() ? "AM and PM speak for the month first" : "";
        for (String other : patterns.subList(1, patterns.size())) {
            TimeForms.Course one = time.course(first);
            TimeForms.Course two = time.course(other);
            if (one.isInOrderUnlike(two)) {
                boolean against = first.startsWith("M") ? !dayFirst.isEmpty() : halves;
                return against || time.areSortedTexts() || two.isNotAheadUnlike(one) || two.isShorterThan(one)
                        ? ""
                        : IN_ORDER;
            }
        }
        return signs;
    }

    private static boolean isYearFirst(String pattern) {
        return pattern.startsWith("yy") && !pattern.startsWith("yyyy");
    }

    /** How many columns a pattern of times reads: what another one rules out, it does so for the time, too. */
    private static long columnsOf(String pattern, List<ColumnSample> values) {
        return values.stream()
                .filter(column -> column.timePatterns().contains(pattern))
                .count();
    }
}
