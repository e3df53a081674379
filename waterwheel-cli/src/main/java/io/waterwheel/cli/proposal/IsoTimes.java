package io.waterwheel.cli.proposal;

import io.waterwheel.schema.text.ZoneNames;
import java.time.ZoneId;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Values of a column that are written as ISO 8601 writes times, and the first that are not. One thread. */
final class IsoTimes {
    private static final Pattern ZONED = Pattern.compile(
            "\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?"
                    + "( ?(Z|UTC|GMT|[+-]\\d\\d(:?\\d\\d)?)| ?(?<name>(?![AP]M$)[A-Z]{2,5}|[A-Z][A-Za-z_]*/[A-Za-z0-9_/+-]+)))?");
    private static final Pattern ZONELESS =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?");
    private static final int LENGTH_OF_DAY = 10;

    /** With a zone, and days. */
    private long zoned;

    long zoneless;
    private long days;
    /** Of those with a zone, the ones that have its short name. */
    private long named;

    private final @Nullable ZoneId home;
    /** Of those with a zone, the ones whose name has several meanings, but one in the zone that is said. */
    private long ofHome;

    private String firstName = "";
    private final Outliers others = new Outliers();
    /** Times whose zone has a name without one meaning. */
    private long odd;

    private final Outliers oddOnes = new Outliers();

    /** @param home the zone that somebody says; null: none */
    IsoTimes(@Nullable ZoneId home) {
        this.home = home;
    }

    /** Looks at a value that is no number; whether it is such a time. */
    boolean add(String value, RowPlace place) {
        // All have a year of four digits.
        boolean mayBe = value.length() > 4 && value.charAt(4) == '-';
        Matcher matcher = mayBe ? ZONED.matcher(value) : null;
        if (matcher != null && matcher.matches()) {
            String name = matcher.group("name");
            boolean isOfHome = name != null && ZoneNames.isUsedIn(home, name);
            if (name == null || isOfHome || ZoneNames.isKnown(name)) {
                ofHome += isOfHome ? 1 : 0;
                zoned++;
                days += value.length() == LENGTH_OF_DAY ? 1 : 0;
                shortName(name == null ? "" : name);
                return true;
            }
            odd++;
            oddOnes.add(value, place);
        } else if (mayBe && ZONELESS.matcher(value).matches()) {
            zoneless++;
            return true;
        }
        others.add(value, place);
        return false;
    }

    private void shortName(String name) {
        if (!name.isEmpty() && name.indexOf('/') < 0) {
            named++;
            firstName = firstName.isEmpty() ? name : firstName;
        }
    }

    /** Takes note of a value that is no time. */
    void addOther(String value, RowPlace place) {
        others.add(value, place);
    }

    long count() {
        return zoned + zoneless;
    }

    /** Whether all are days, without a time of day. */
    boolean areDays(long values) {
        return days == values;
    }

    /** Whether some mean what they do only in the zone that is said: days, and names of several meanings. */
    boolean needZone() {
        return days + ofHome > 0;
    }

    /** What is said of short names of zones; empty where there are none. */
    String names() {
        return named == 0 ? "" : firstName + " is an offset, the same in summer and in winter";
    }

    /** The first values that are none. */
    String others() {
        return others.text();
    }

    /** What is said where values would be times if the names of their zones had one meaning; empty: they would not. */
    String odd(long values, long fewest) {
        return odd == 0 || count() + odd < fewest
                ? ""
                : count() + " of " + values + " are times; others, whose zone has no one meaning"
                        + (home == null ? "" : " in " + home) + ": " + oddOnes.text()
                        + ". --zone says where the names are used, as CST and CDT in America/Chicago";
    }
}
