package io.waterwheel.topology.sql;

import io.waterwheel.catalog.state.View;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.NearestName;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.SqlConstants;
import io.waterwheel.sql.SqlPlanner;
import io.waterwheel.sql.SystemTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Statements that ask about the server, or nothing at all: SHOW STREAMS, SHOW TABLES, SHOW VIEWS, DESCRIBE, EXPLAIN,
 * and SELECT without FROM. A statement is one of these by its first words.
 */
final class OwnStatements {
    private static final String PART = "(?:\"(?:[^\"]|\"\")+\"|[\\w$-]+)";
    private static final String NAME = "(" + PART + "(?:\\." + PART + ")*)";
    private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"]|\"\")+)\"");
    private static final Pattern SHOW = words("SHOW\\s+STREAMS(?:\\s+LIKE\\s+'([^']*)')?");
    private static final Pattern SHOW_VIEWS = words("SHOW\\s+VIEWS(?:\\s+LIKE\\s+'([^']*)')?");
    private static final Pattern SHOW_TABLES = words("SHOW\\s+TABLES(?:\\s+LIKE\\s+'([^']*)')?");
    private static final Pattern VERDICT = words("SHOW\\s+VERDICT");
    private static final Pattern DESCRIBE =
            words("(?:DESCRIBE|DESC|SHOW\\s+COLUMNS\\s+(?:FROM|IN))\\s+(?:(?:STREAM|TABLE|VIEW)\\s+)?" + NAME);
    private static final Pattern EXPLAIN =
            words("EXPLAIN\\s+(ANALYZE\\s+)?((?:(?:SELECT|WITH|TABLE|VALUES)\\b|\\().*)");
    private static final Pattern NO_FROM = words("SELECT\\b(?!.*\\bFROM\\b).*");

    private static final List<Field> STREAMS = List.of(
            new Field("stream", FieldType.STRING, false),
            new Field("key", FieldType.STRING, false),
            new Field("time", FieldType.STRING, false),
            new Field("fields", FieldType.LONG, false));
    private static final List<Field> VIEWS = List.of(
            new Field("view", FieldType.STRING, false),
            new Field("columns", FieldType.STRING, false),
            new Field("query", FieldType.STRING, false));
    private static final List<Field> TABLES = List.of(
            new Field("table", FieldType.STRING, false),
            new Field("kind", FieldType.STRING, false),
            new Field("file", FieldType.STRING, true));
    private static final List<Field> COLUMNS = List.of(
            new Field("column", FieldType.STRING, false),
            new Field("type", FieldType.STRING, false),
            new Field("nullable", FieldType.BOOLEAN, false),
            new Field("role", FieldType.STRING, true));
    /** Of EXPLAIN, a line each. */
    static final List<Field> PLAN = List.of(new Field("plan", FieldType.STRING, false));

    private final KnownStreams streams;

    OwnStatements(KnownStreams streams) {
        this.streams = streams;
    }

    private static Pattern words(String regex) {
        return Pattern.compile("\\s*" + regex + "[\\s;]*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    }

    /**
     * A statement to be explained.
     *
     * @param analyze whether it is answered, and what that took is told
     */
    record Explained(String statement, boolean analyze) {}

    /** Whether a statement asks for the verdict of the one before it. */
    static boolean isVerdict(String statement) {
        return VERDICT.matcher(statement).matches();
    }

    /** What an EXPLAIN is of; null for anything else. */
    static @Nullable Explained explained(String statement) {
        Matcher matcher = EXPLAIN.matcher(statement);
        if (!matcher.matches()) {
            return null;
        }
        // Blanks in place of the words, so that messages name places of the whole.
        String blanks = statement.substring(0, matcher.start(2)).replaceAll("\\S", " ");
        return new Explained(blanks + matcher.group(2), matcher.group(1) != null);
    }

    /**
     * An answer.
     *
     * @param labels what its columns are called
     */
    record Own(List<String> labels, MemoryRows rows) {
        static Own of(MemoryRows rows) {
            return new Own(rows.fields().stream().map(Field::name).toList(), rows);
        }
    }

    /** The answer; null when the statement is another. */
    @Nullable
    Own answer(String statement, Instant now) {
        Matcher show = SHOW.matcher(statement);
        if (show.matches()) {
            return Own.of(streams(show.group(1)));
        }
        Matcher tables = SHOW_TABLES.matcher(statement);
        if (tables.matches()) {
            return Own.of(tables(tables.group(1)));
        }
        Matcher views = SHOW_VIEWS.matcher(statement);
        if (views.matches()) {
            return Own.of(views(views.group(1)));
        }
        Matcher describe = DESCRIBE.matcher(statement);
        if (describe.matches()) {
            return Own.of(columns(describe.group(1)));
        }
        SqlConstants constants = NO_FROM.matcher(statement).matches() ? SqlPlanner.constants(statement, now) : null;
        return constants == null ? null : new Own(constants.labels(), constants(constants));
    }

    /** Of LIKE; without one, of anything. */
    private static Pattern pattern(@Nullable String like) {
        String written = like == null ? "%" : like;
        return Pattern.compile(
                "\\Q" + written.replace("\\E", "").replace("%", "\\E.*\\Q").replace("_", "\\E.\\Q") + "\\E",
                Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    }

    private MemoryRows views(@Nullable String like) {
        Pattern pattern = pattern(like);
        MemoryRows rows = new MemoryRows(VIEWS);
        streams.views().all().values().stream()
                .filter(view -> pattern.matcher(view.name()).matches())
                .forEach(view -> rows.add(view.name(), String.join(", ", view.columns()), view.query()));
        return rows;
    }

    /** All that statements may name but what is about the server. */
    private MemoryRows tables(@Nullable String like) {
        Pattern pattern = pattern(like);
        MemoryRows rows = new MemoryRows(TABLES);
        streams.names().stream()
                .filter(name -> pattern.matcher(name).matches())
                .forEach(name -> rows.add(name, "stream", null));
        streams.views().all().keySet().stream()
                .filter(name -> pattern.matcher(name).matches())
                .forEach(name -> rows.add(name, "view", null));
        for (SystemTable table : streams.tables().all()) {
            if (pattern.matcher(table.name()).matches() && table.file() != null) {
                rows.add(table.name(), "file", table.file().path());
            }
        }
        return rows;
    }

    private MemoryRows streams(@Nullable String like) {
        Pattern pattern = pattern(like);
        MemoryRows rows = new MemoryRows(STREAMS);
        for (String name : streams.names()) {
            Schema schema = streams.schema(name);
            if (schema != null && pattern.matcher(name).matches()) {
                rows.add(name, key(schema), schema.timeField(), (long)
                        schema.fields().size());
            }
        }
        return rows;
    }

    private static String key(Schema schema) {
        return String.join(
                ", ", schema.key().roles().stream().map(KeySpec.Role::field).toList());
    }

    private static boolean isKey(Schema schema, String field) {
        return schema.key().roles().stream().anyMatch(role -> role.field().equals(field));
    }

    /** What a field is to its stream, or null. */
    static @Nullable String role(Schema schema, String field) {
        return isKey(schema, field) ? "key" : field.equals(schema.timeField()) ? "time" : null;
    }

    private MemoryRows columns(String written) {
        String bare = QUOTED.matcher(written)
                .replaceAll(quoted -> Matcher.quoteReplacement(quoted.group(1).replace("\"\"", "\"")));
        String name = bare.replaceFirst("(?i)^(?:waterwheel\\.)?public\\.", "");
        SystemTable about = SystemTables.of(name.replaceFirst("(?i)^waterwheel\\.(?=.*\\.)", ""));
        SystemTable system = about == null ? file(name) : about;
        if (system != null) {
            MemoryRows columns = new MemoryRows(COLUMNS);
            system.fields()
                    .forEach(field -> columns.add(field.name(), field.type().schemaName(), field.nullable(), null));
            return columns;
        }
        Schema schema = streams.schema(streams.nameOf(name));
        View view = schema == null ? streams.views().find(name) : null;
        if (view != null) {
            MemoryRows columns = new MemoryRows(COLUMNS);
            new ViewChanges(streams)
                    .fields(view)
                    .forEach(field -> columns.add(field.name(), field.type().schemaName(), field.nullable(), null));
            return columns;
        }
        if (schema == null) {
            List<String> names = new ArrayList<>(streams.names());
            names.addAll(streams.views().all().keySet());
            throw new WaterwheelException(
                    ErrorCode.NO_SUCH_STREAM,
                    "statement: there is no stream '" + name + "'" + NearestName.question(name, names));
        }
        MemoryRows rows = new MemoryRows(COLUMNS);
        for (Field field : schema.fields()) {
            rows.add(field.name(), field.type().schemaName(), field.nullable(), role(schema, field.name()));
        }
        return rows;
    }

    /** The table of a file; null when there is none of that name. */
    private @Nullable SystemTable file(String name) {
        return streams.tables().all().stream()
                .filter(table -> table.name().equalsIgnoreCase(name))
                .findFirst()
                .orElse(null);
    }

    private static MemoryRows constants(SqlConstants constants) {
        List<Field> fields = new ArrayList<>();
        @Nullable Object[] row = new @Nullable Object[constants.values().size()];
        for (int c = 0; c < row.length; c++) {
            Expression.Literal value = constants.values().get(c);
            FieldType type = FieldType.STRING;
            if (value instanceof Expression.Whole whole) {
                type = FieldType.LONG;
                row[c] = whole.value();
            } else if (value instanceof Expression.Decimal decimal) {
                type = FieldType.DOUBLE;
                row[c] = decimal.value();
            } else if (value instanceof Expression.Exact exact) {
                type = exact.type().fieldType();
                row[c] = exact.value();
            } else if (value instanceof Expression.Truth truth) {
                type = FieldType.BOOLEAN;
                row[c] = truth.value();
            } else if (value instanceof Expression.Moment moment) {
                type = FieldType.TIMESTAMP;
                row[c] = moment.value().toEpochMilli();
            } else if (value instanceof Expression.Text text) {
                row[c] = text.value();
            }
            fields.add(new Field("c" + c, type, true));
        }
        return new MemoryRows(fields).add(row);
    }
}
