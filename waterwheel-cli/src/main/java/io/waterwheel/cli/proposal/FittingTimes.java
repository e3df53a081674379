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
        List<String> different = fitting.stream()
                .filter(pattern -> columnsOf(pattern, values) == most)
                .filter(pattern -> forms.add(pattern.replaceAll("(?<!M)MM(?!M)", "M")
                        .replace("dd", "d")
                        .replace("HH", "H")
                        .replace("hh", "h")))
                .toList();
        return compact.isEmpty()
                ? ranked(time, different, style)
                : new FittingTimes(different, "a year of four digits is the likelier");
    }

    private static FittingTimes ranked(ColumnSample time, List<String> different, CsvStyle style) {
        List<String> years =
                different.stream().filter(FittingTimes::isYearFirst).toList();
        List<String> days = new ArrayList<>(different);
        days.removeAll(years);
        days.sort(Comparator.comparing(
                pattern -> days.stream().noneMatch(other -> time.course(pattern).isInOrderUnlike(time.course(other)))));
        String ofDays = evidence(time, days, style);
        if (years.isEmpty() || days.isEmpty()) {
            return new FittingTimes(different.size() > 1 && years.isEmpty() ? days : different, ofDays);
        }
        TimeForms.Course yearFirst = time.course(years.get(0));
        TimeForms.Course dayFirst = time.course(days.get(0));
        String ofYears = better(yearFirst, dayFirst);
        if (!better(dayFirst, yearFirst).isEmpty()) {
            return new FittingTimes(days, ofDays);
        }
        List<String> all = new ArrayList<>(years);
        if (!ofYears.isEmpty() || years.get(0).contains("-")) {
            all.addAll(days);
            return new FittingTimes(all, ofYears);
        }
        all.addAll(0, days);
        boolean points = days.size() == 1 && days.get(0).contains(".");
        return new FittingTimes(all, points && ofDays.isEmpty() ? "points speak for the day first" : ofDays);
    }

    /** Why one reading of times is likelier than another; empty: it is not. */
    private static String better(TimeForms.Course one, TimeForms.Course other) {
        if (one.isInOrderUnlike(other)) {
            return IN_ORDER;
        } else if (other.isInOrderUnlike(one) || other.isPastUnlike(one)) {
            return "";
        } else if (one.isPastUnlike(other)) {
            return "times are not years ahead by this alone";
        }
        return one.isShorterThan(other) ? "times are nearest to each other by this" : "";
    }

    /** What speaks for the first of patterns that have the year behind day and month. */
    private static String evidence(ColumnSample time, List<String> patterns, CsvStyle style) {
        if (patterns.size() > 1 && time.course(patterns.get(0)).isInOrderUnlike(time.course(patterns.get(1)))) {
            return IN_ORDER;
        }
        String dayFirst = style.saysDayFirst();
        if (!patterns.isEmpty()
                && patterns.get(0).startsWith("M")
                && patterns.get(0).endsWith("a")) {
            return dayFirst.isEmpty() ? "AM and PM speak for the month first" : "";
        }
        return dayFirst;
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
