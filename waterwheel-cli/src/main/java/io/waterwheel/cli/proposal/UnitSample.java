package io.waterwheel.cli.proposal;

import org.jspecify.annotations.Nullable;

/** Values of a column that are numbers with the unit of the first. One thread. */
final class UnitSample {
    private final CsvStyle style;
    private String unit = "";
    private long count;
    /** Numbers with another unit than the first has. */
    private long otherUnits;

    private @Nullable ColumnSample numbers;
    private final Outliers others = new Outliers();

    UnitSample(CsvStyle style) {
        this.style = style;
    }

    /** Takes a value that is no number by itself. */
    void add(String value, RowPlace place) {
        CsvStyle.United one = CsvStyle.united(value);
        if (one == null || (count > 0 && !one.unit().equals(unit))) {
            otherUnits += one == null ? 0 : 1;
            others.add(value, place);
            return;
        }
        unit = one.unit();
        count++;
        ColumnSample all = numbers == null ? new ColumnSample("", style) : numbers;
        numbers = all;
        all.unit = unit;
        all.place = place;
        all.add(one.number(), false);
    }

    /** Their numbers; null where there are none. */
    @Nullable
    ColumnSample numbers() {
        return numbers;
    }

    String unit() {
        return unit;
    }

    /** How many there are. */
    long count() {
        return count;
    }

    /** Whether all values are numbers with a unit, but not with one. */
    boolean areOfSeveral(long values) {
        return otherUnits > 0 && count + otherUnits == values;
    }

    /** What most of a column's values are, and which are not. */
    String evidence(long values) {
        return count + " of " + values + " are numbers with " + unit + "; others: " + others.text();
    }
}
