package io.waterwheel.sql.leaf;

import io.waterwheel.query.aggregate.AggregateFunctions;
import io.waterwheel.query.expression.Function;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOperatorBinding;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/**
 * The engine's functions that SQL lacks, or means otherwise by the same name: LOWER changes A to Z alone, ROUND yields
 * a double.
 */
public final class EngineFunctions {
    public static final String TIME_BUCKET = "TIME_BUCKET";
    /** The units of time that begin between two times. */
    public static final String DATE_DIFF = "DATE_DIFF";
    /** The whole units of time between two times. */
    public static final String ELAPSED = "TIMESTAMPDIFF";

    /** The beginning of a unit of the calendar. */
    public static final String DATE_TRUNC = "DATE_TRUNC";

    public static final String GAPFILL = "TIME_BUCKET_GAPFILL";
    /** The same by steps of the calendar: a unit, the time, perhaps a zone. No statement writes it. */
    public static final String CALENDAR_GAPFILL = "DATE_TRUNC GAPFILL";

    static final String LOCF = "LOCF";
    static final String INTERPOLATE = "INTERPOLATE";
    /** What has to do with buckets without tuples. */
    public static final List<String> FILLS = List.of(GAPFILL, CALENDAR_GAPFILL, LOCF, INTERPOLATE);

    static final String POINT = "ST_POINT";
    public static final String ENVELOPE = "ST_MAKEENVELOPE";
    public static final String FROM_TEXT = "ST_GEOMFROMTEXT";
    public static final String WITHIN = "ST_WITHIN";
    public static final String CONTAINS = "ST_CONTAINS";
    public static final String INTERSECTS = "ST_INTERSECTS";
    public static final String NEAR = "ST_DWITHIN";
    public static final String METRES = "ST_DISTANCE";
    static final String BUFFER = "ST_BUFFER";
    public static final String AS_TEXT = "ST_ASTEXT";
    /** A CAST to DOUBLE that the statement has; Calcite's own are there to compare whole numbers with doubles. */
    public static final String TO_DOUBLE = "CAST TO DOUBLE";
    /** A CAST of a double or a decimal to VARCHAR: Calcite leaves its own out where a number is made of the text. */
    public static final String TO_TEXT = "CAST TO VARCHAR";

    /** TO_CHAR of a time, by the letters of FORMAT_TIME. */
    public static final String TIME_TEXT = "TO_CHAR OF TIME";

    /** The bytes of an address or a UUID, whose canonical text it takes, in digits that have their order. */
    public static final String DIGITS = "DIGITS OF ADDRESS";

    /** Whether a text has what a pattern means. */
    public static final String MATCHES = "REGEXP_MATCHES";

    public static final String REPLACES = "REGEXP_REPLACE";
    /** TRIM of written characters at both ends; that of blanks is the engine's. */
    public static final String TRIM_BOTH = "BTRIM";

    public static final String EXTRACTS = "REGEXP_EXTRACT";
    /** The whole number, or the time, that a text is; null where it is none. */
    public static final String TRY_WHOLE = "TRY_CAST TO BIGINT";

    public static final String TRY_TIME = "TRY_CAST TO TIMESTAMP";

    /** What Calcite calls {@link #MODULO} in its messages. */
    public static final String MODULO_NAME = "REST OF DIVISION";

    /** The rest of a division: of doubles a double, where SQL's own makes decimals of them. */
    public static final SqlFunction MODULO = new SqlFunction(
            // Of a name of its own: by that of SQL's the validator would find SQL's.
            MODULO_NAME,
            SqlKind.MOD,
            EngineFunctions::modulo,
            null,
            OperandTypes.NUMERIC_NUMERIC,
            SqlFunctionCategory.NUMERIC);

    private static final int MOST_CONCATENATED = 100;

    private static final SqlReturnTypeInference TEXT = nullable(SqlTypeName.VARCHAR);
    private static final SqlReturnTypeInference WHOLE = nullable(SqlTypeName.BIGINT);
    private static final SqlReturnTypeInference DOUBLE = nullable(SqlTypeName.DOUBLE);
    private static final SqlReturnTypeInference TRUTH = nullable(SqlTypeName.BOOLEAN);
    private static final SqlReturnTypeInference GEOMETRY = nullable(SqlTypeName.GEOMETRY);
    /** Longitudes and latitudes. */
    private static final List<SqlTypeName> NUMBERS = Collections.nCopies(4, SqlTypeName.DOUBLE);

    private static final SqlReturnTypeInference SAME = ReturnTypes.ARG0.andThen(SqlTypeTransforms.FORCE_NULLABLE);
    private static final SqlReturnTypeInference OF_TIME = ReturnTypes.ARG1.andThen(SqlTypeTransforms.FORCE_NULLABLE);
    private static final SqlReturnTypeInference MILLIS =
            ReturnTypes.explicit(SqlTypeName.TIMESTAMP, 3).andThen(SqlTypeTransforms.FORCE_NULLABLE);

    private final Map<String, EngineFunction> functions = new HashMap<>();
    private final Map<String, EngineAggregate> aggregates = new HashMap<>();
    private final List<SqlOperator> all = new ArrayList<>();

    /** All of them. */
    public EngineFunctions() {
        for (Function function : Function.values()) {
            SqlReturnTypeInference yields = yields(function);
            if (yields != null) {
                add(new EngineFunction(function.name(), function, yields, function.least(), function.most()));
            }
        }
        add(new EngineFunction(TIME_BUCKET, null, MILLIS, 2, 3));
        add(new EngineFunction(DATE_DIFF, null, WHOLE, 3, 3));
        add(new EngineFunction(ELAPSED, null, WHOLE, 3, 3));
        add(new EngineFunction(GAPFILL, null, MILLIS, 2, 3));
        add(new EngineFunction(CALENDAR_GAPFILL, null, OF_TIME, 2, 3));
        add(new EngineFunction(LOCF, null, SAME, 1, 1));
        add(new EngineFunction(INTERPOLATE, null, SAME, 1, 1));
        add(new EngineFunction(POINT, null, GEOMETRY, 2, 2, NUMBERS));
        add(new EngineFunction(ENVELOPE, null, GEOMETRY, 4, 5, NUMBERS));
        add(new EngineFunction(FROM_TEXT, null, GEOMETRY, 1, 2, List.of(SqlTypeName.VARCHAR)));
        add(new EngineFunction(WITHIN, null, TRUTH, 2, 2));
        add(new EngineFunction(CONTAINS, null, TRUTH, 2, 2));
        add(new EngineFunction(INTERSECTS, null, TRUTH, 2, 2));
        add(new EngineFunction(NEAR, null, TRUTH, 3, 3, List.of(SqlTypeName.ANY, SqlTypeName.ANY, SqlTypeName.DOUBLE)));
        add(new EngineFunction(BUFFER, null, GEOMETRY, 2, 2, List.of(SqlTypeName.ANY, SqlTypeName.DOUBLE)));
        add(new EngineFunction(AS_TEXT, null, TEXT, 1, 1));
        add(new EngineFunction(METRES, null, DOUBLE, 2, 2));
        add(new EngineFunction(TO_DOUBLE, null, DOUBLE, 1, 1));
        add(new EngineFunction(TO_TEXT, null, TEXT, 1, 1));
        add(new EngineFunction(TIME_TEXT, null, TEXT, 2, 2));
        add(new EngineFunction(DIGITS, null, TEXT, 1, 1));
        addOfTexts();
        for (String name : List.of("quantile", "median", "first", "last", "delta", "rate", "arg_min", "arg_max")) {
            EngineAggregate aggregate = new EngineAggregate(name.toUpperCase(Locale.ROOT), AggregateFunctions.of(name));
            aggregates.put(aggregate.getName(), aggregate);
            all.add(aggregate);
        }
        all.add(MODULO);
        all.addAll(DownsamplingPattern.operators());
    }

    /** Those that DuckDB alone has. */
    private void addOfTexts() {
        add(new EngineFunction(MATCHES, null, TRUTH, 2, 3));
        add(new EngineFunction(REPLACES, null, TEXT, 3, 4));
        add(new EngineFunction(EXTRACTS, null, TEXT, 2, 3));
        add(new EngineFunction("SPLIT_PART", null, TEXT, 3, 3));
        add(new EngineFunction("LPAD", null, TEXT, 2, 3));
        add(new EngineFunction("RPAD", null, TEXT, 2, 3));
        add(new EngineFunction("RIGHT", null, TEXT, 2, 2));
        add(new EngineFunction("REVERSE", null, TEXT, 1, 1));
        add(new EngineFunction("LTRIM", null, TEXT, 1, 2));
        add(new EngineFunction("RTRIM", null, TEXT, 1, 2));
        add(new EngineFunction(TRIM_BOTH, null, TEXT, 1, 2));
        add(new EngineFunction("CONCAT_WS", null, TEXT, 2, MOST_CONCATENATED));
        add(new EngineFunction("TRANSLATE", null, TEXT, 3, 3));
        add(new EngineFunction(TRY_WHOLE, null, WHOLE, 1, 1));
        add(new EngineFunction(TRY_TIME, null, MILLIS, 1, 1));
    }

    private static SqlReturnTypeInference nullable(SqlTypeName type) {
        return ReturnTypes.explicit(type).andThen(SqlTypeTransforms.FORCE_NULLABLE);
    }

    private void add(EngineFunction function) {
        functions.put(function.getName(), function);
        all.add(function);
    }

    private static RelDataType modulo(SqlOperatorBinding call) {
        boolean doubles = call.collectOperandTypes().stream().anyMatch(SqlTypeUtil::isApproximateNumeric);
        return doubles ? DOUBLE.inferReturnType(call) : ReturnTypes.NULLABLE_MOD.inferReturnType(call);
    }

    /** What a function yields; null for one that SQL has with the same meaning. */
    private static @Nullable SqlReturnTypeInference yields(Function function) {
        return switch (function) {
            case ABS, FLOOR, CEIL, COALESCE, NULLIF -> null;
            case LOWER, UPPER, CONCAT, SUBSTRING, TRIM, REPLACE, FORMAT_TIME, GEOHASH, JSON_TEXT -> TEXT;
            case LENGTH, OCTET_LENGTH, STRPOS, DATE_PART -> WHOLE;
            case STARTS_WITH, IN_POLYGON -> TRUTH;
            case DATE_TRUNC -> OF_TIME;
            case ROUND,
                    SQRT,
                    EXP,
                    LN,
                    LOG10,
                    POWER,
                    SIN,
                    COS,
                    TAN,
                    ASIN,
                    ACOS,
                    ATAN,
                    ATAN2,
                    RADIANS,
                    DEGREES,
                    DISTANCE,
                    JSON_NUMBER,
                    TO_NUMBER -> DOUBLE;
        };
    }

    /** The function of this name, in any case of letters; null when SQL's own is meant. */
    public @Nullable EngineFunction of(String name) {
        return functions.get(name.toUpperCase(Locale.ROOT));
    }

    /** The function of a name that there is. */
    public EngineFunction required(String name) {
        return Objects.requireNonNull(of(name), name);
    }

    /** The aggregate of this name, in capital letters. */
    public EngineAggregate aggregate(String name) {
        return Objects.requireNonNull(aggregates.get(name), name);
    }

    /** As operators that a statement may name. */
    public List<SqlOperator> operators() {
        return all;
    }
}
