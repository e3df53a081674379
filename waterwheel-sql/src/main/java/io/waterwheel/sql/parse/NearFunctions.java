package io.waterwheel.sql.parse;

import io.waterwheel.error.NearestName;
import io.waterwheel.query.aggregate.AggregateFunction;
import io.waterwheel.query.aggregate.AggregateFunctions;
import io.waterwheel.query.expression.Function;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What to write in place of functions that are not there: by what they do, else by a name that is near. */
public final class NearFunctions {
    private static final String WRITES_TIMES = "FORMAT_TIME(time, 'yyyy-MM-dd HH:mm') writes a time";
    private static final String COUNTS =
            "written rows count, such as (VALUES (1), (2), (3)) AS n(i), and TIME_BUCKET_GAPFILL has each step of a time";
    private static final String MOVES = "time + INTERVAL '5' MINUTE moves a time";
    private static final String READS_NUMBERS =
            "TO_NUMBER(text) is the number that a text is, and null where it is none";
    private static final String PATTERNS =
            "REGEXP_MATCHES(text, 'pattern', 'i') is there; 'i' takes capital and small letters for the same";
    private static final String MEANS_OTHER = "LIKE, SUBSTRING, STRPOS and REPLACE are there";

    /** By name, in capital letters. */
    private static final Map<String, String> INSTEAD = Map.ofEntries(
            Map.entry("DATE_FORMAT", WRITES_TIMES),
            Map.entry("STRFTIME", WRITES_TIMES),
            Map.entry("SIMILAR TO", PATTERNS),
            Map.entry("RLIKE", PATTERNS),
            Map.entry("REGEXP", PATTERNS),
            Map.entry("GENERATE_SERIES", COUNTS),
            Map.entry("RANGE", COUNTS),
            Map.entry("UNNEST", COUNTS),
            Map.entry("INITCAP", "UPPER and LOWER are there, of whole texts"),
            Map.entry("IIF", "IF(condition, x, y) is there"),
            Map.entry("OVERLAY", MEANS_OTHER),
            Map.entry("POSITION", "STRPOS(text, part) is from the beginning"),
            Map.entry("AGE", "TIMESTAMPDIFF(SECOND, earlier, later) counts the units between two times"),
            Map.entry("MAKE_TIMESTAMP", "a time is written TIMESTAMP '2026-11-25 10:00:00'"),
            Map.entry("MAKE_DATE", "a day is written DATE '2026-11-25'"),
            Map.entry("RANDOM", "MOD(id, 10) = 0 takes a tenth of the rows, where id is a whole number"),
            Map.entry("^", "POWER(x, 2) is there"),
            Map.entry("TRUNC", "CAST(x AS BIGINT) cuts what is behind the point"),
            Map.entry("WIDTH_BUCKET", "FLOOR(x / 1000) numbers steps of one width"),
            Map.entry("TRY_CAST", READS_NUMBERS),
            Map.entry("SAFE_CAST", READS_NUMBERS),
            Map.entry("MAX_BY", "ARG_MAX(x, y) is there"),
            Map.entry("MIN_BY", "ARG_MIN(x, y) is there"),
            Map.entry("CONTAINS", "STRPOS(text, part) > 0 says whether a text has a part"),
            Map.entry("INSTR", "STRPOS(text, part) is there"),
            Map.entry("LEN", "LENGTH is there"),
            Map.entry("LIST", "STRING_AGG(x, ',') makes a text of a group"),
            Map.entry("ISNAN", "x = CAST('NaN' AS DOUBLE) is true of what is no number"),
            Map.entry("ISNULL", "x IS NULL is there, and COALESCE(x, y)"),
            Map.entry("NVL2", "CASE WHEN x IS NOT NULL THEN y ELSE z END is there"),
            Map.entry("LOG2", "LN(x) / LN(2) is it but for the last digit"),
            Map.entry("DATEADD", MOVES),
            Map.entry("DATE_ADD", MOVES),
            Map.entry("TIMESTAMPADD", MOVES));

    /** Such as have other names in the engine. */
    private static final List<String> OTHERS =
            List.of("TIME_BUCKET", "DATE_DIFF", "TIMESTAMPDIFF", "GREATEST", "LEAST");

    private NearFunctions() {}

    /** What to add to a message about a function that is not there; empty where nothing is near. */
    public static String instead(String function) {
        String name = function.toUpperCase(Locale.ROOT);
        String known = INSTEAD.get(name);
        if (known != null) {
            return "; " + known;
        }
        // One that is a part of the other is another function, VAR_POP not COVAR_POP, but for a letter too many.
        String near = NearestName.near(name, names());
        boolean other = near == null
                || ((near.contains(name) || name.contains(near)) && Math.abs(near.length() - name.length()) > 1);
        return other ? "" : "; the nearest is " + near;
    }

    private static List<String> names() {
        List<String> names = new ArrayList<>(OTHERS);
        for (Function function : Function.values()) {
            names.add(function.name());
        }
        for (AggregateFunction aggregate : AggregateFunctions.all()) {
            names.add(aggregate.name().toUpperCase(Locale.ROOT));
        }
        return names;
    }
}
