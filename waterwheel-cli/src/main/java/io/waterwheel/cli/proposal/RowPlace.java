package io.waterwheel.cli.proposal;

/**
 * Where a row stands, as a person finds it.
 *
 * @param file with a comma behind it, where it is not the one that is looked at; else empty
 * @param unit what is counted: lines of a file, as an editor counts them; records of a topic and of Avro are rows
 * @param number of its first line, or of the row, from 1
 */
public record RowPlace(String file, String unit, long number) {
    static RowPlace line(long number) {
        return new RowPlace("", "line", number);
    }

    static RowPlace row(long number) {
        return new RowPlace("", "row", number);
    }

    @Override
    public String toString() {
        return file + unit + " " + number;
    }
}
