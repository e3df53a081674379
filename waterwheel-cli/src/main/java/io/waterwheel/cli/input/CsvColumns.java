package io.waterwheel.cli.input;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Brings a file's CSV columns, which its first line names, into the order of a schema's fields. One thread. */
public final class CsvColumns {
    /** The name of a column that goes into no field. */
    public static final String IGNORED = "-";

    /**
     * What to do about names that are no fields.
     *
     * @param unnamed where none is one
     * @param unknown where some are none
     */
    private record Advice(String unnamed, String unknown) {
        static final Advice COMMAND = new Advice(
                "; is there no line of names? Name them with --columns",
                "; --skip-unknown passes over such columns, as - does in --columns");
        static final Advice REQUEST = new Advice(
                "; is there no line of names? Say so with text/csv; header=absent", "; leave such columns out");
    }

    private final int columns;
    /** By field its column, or -1 when the file has none for it. */
    private final int[] columnOf;

    private final boolean inOrder;
    /** Where each column of the present line starts; one more for its end, each after a delimiter. */
    private final int[] starts;

    private final byte delimiter;
    private final CsvQuotes quotes;
    private byte[] out = new byte[256];
    private final Line ordered = new Line();

    private CsvColumns(int columns, int[] columnOf, RecordText.Csv signs) {
        this.delimiter = (byte) signs.delimiter();
        this.quotes = new CsvQuotes(signs);
        this.columns = columns;
        this.columnOf = columnOf;
        this.starts = new int[columns + 1];
        boolean same = columns == columnOf.length;
        for (int f = 0; f < columnOf.length; f++) {
            same &= columnOf[f] == f;
        }
        this.inOrder = same;
    }

    /**
     * Reads the first line; each of its columns must be a field.
     *
     * @param source what messages call the file
     */
    public static CsvColumns of(String source, byte @Nullable [] header, Schema schema) {
        return of(source, header, schema, false);
    }

    /**
     * Reads the first line.
     *
     * @param source what messages call the file
     * @param skipsUnknown whether columns that are no field are passed over, where others are
     */
    public static CsvColumns of(String source, byte @Nullable [] header, Schema schema, boolean skipsUnknown) {
        return of(source, header, schema, skipsUnknown, Advice.COMMAND);
    }

    /** Columns in the order of the first line of a request's body: advice is for one who has no options. */
    public static CsvColumns ofBody(byte[] header, Schema schema) {
        return of("the body", header, schema, false, Advice.REQUEST);
    }

    /**
     * Whether each value of a line names a field: by its name, by that of its column ({@code from}), or by one of which
     * {@code --like} makes the field's name. The last counts only where a row has its time among its values, which is
     * no such name; and only of a name with letters of which the field's is made, not of one that goes by its place.
     */
    public static boolean areNames(byte[] line, Schema schema) {
        List<String> names = names(line, schema.text().csv());
        boolean makes = schema.text().inValue(schema.timeField());
        return names.size() <= schema.columns().size()
                && names.stream()
                        .allMatch(name -> schema.indexOf(name) >= 0
                                || isField(name, schema)
                                || isSource(name, schema)
                                || (makes && FieldNames.made(name).stream().anyMatch(made -> isField(made, schema))));
    }

    private static boolean isSource(String name, Schema schema) {
        return schema.valueFields().stream()
                .anyMatch(field -> schema.text().source(field.name()).equals(name));
    }

    private static CsvColumns of(
            String source, byte @Nullable [] header, Schema schema, boolean skipsUnknown, Advice advice) {
        if (header == null) {
            throw bad(source + ": is empty; expected a first line that names the fields");
        }
        List<String> names = new ArrayList<>(names(header, schema.text().csv()));
        Set<Integer> ofSources = fromSources(names, schema);
        List<String> columns = schema.columns();
        // As create --like makes, or made, field names of them; a schema by hand may have some of its own.
        for (List<String> proposed : List.of(FieldNames.of(names), FieldNames.before(names))) {
            boolean asProposed = columns.containsAll(proposed);
            for (int c = 0; c < names.size(); c++) {
                boolean isKnown = columns.contains(names.get(c)) || schema.indexOf(names.get(c)) >= 0;
                if (asProposed || (!isKnown && columns.contains(proposed.get(c)))) {
                    names.set(c, proposed.get(c));
                }
            }
        }
        if (skipsUnknown && names.stream().anyMatch(name -> isField(name, schema))) {
            names.replaceAll(name -> isField(name, schema) ? name : IGNORED);
        }
        return named(source + ": the first line", names, ofSources, schema, advice);
    }

    /**
     * Columns in the order of another file, whose names these are; empty for those that are not here.
     *
     * @param others of the other file
     * @param names of this one
     */
    public static CsvColumns like(List<String> others, List<String> names, RecordText.Csv signs) {
        return new CsvColumns(
                names.size(), others.stream().mapToInt(names::indexOf).toArray(), signs);
    }

    private static boolean isField(String name, Schema schema) {
        return schema.columns().contains(name);
    }

    /**
     * Columns that were named otherwise.
     *
     * @param namer what messages call that which names them
     * @param names {@link #IGNORED} for a column that goes into no field
     */
    public static CsvColumns named(String namer, List<String> names, Schema schema) {
        return named(namer, names, Set.of(), schema, Advice.COMMAND);
    }

    /** @param ofSources columns whose name is a field's, and none of a day or time of day that is called alike */
    private static CsvColumns named(
            String namer, List<String> names, Set<Integer> ofSources, Schema schema, Advice advice) {
        List<String> fields = schema.columns();
        List<Field> ofColumns = schema.valueFields().stream()
                .flatMap(
                        field -> schema.text().clock(field.name()) == null ? Stream.of(field) : Stream.of(field, field))
                .toList();
        int[] columnOf = new int[fields.size()];
        Arrays.fill(columnOf, -1);
        for (int c = 0; c < names.size(); c++) {
            String name = names.get(c);
            if (name.equals(IGNORED)) {
                continue;
            }
            if (schema.indexOf(name) >= 0 && !schema.text().inValue(name)) {
                throw bad(namer + " names '" + name + "', which is of Kafka: "
                        + schema.text().source(name)
                        + advice.unknown);
            }
            int place = place(name, ofSources.contains(c), fields, ofColumns, schema);
            if (place < 0 && names.indexOf(name) == c) {
                throw bad(namer + " names '" + name + "', which is no field of the stream; its fields are " + fields
                        + (fields.stream().noneMatch(names::contains) ? advice.unnamed : advice.unknown));
            }
            if (place < 0 || columnOf[place] >= 0) {
                throw bad(namer + " names '" + name + "' twice");
            }
            columnOf[place] = c;
        }
        for (int f = 0; f < columnOf.length; f++) {
            if (columnOf[f] < 0 && !ofColumns.get(f).nullable()) {
                throw bad(namer + " lacks '" + fields.get(f) + "', which every tuple must have");
            }
        }
        return new CsvColumns(names.size(), columnOf, schema.text().csv());
    }

    /**
     * The place of a column in the schema's order; -1 where it has none. A day or a time of day may be called as
     * another field is, which is in a column of another name then.
     */
    private static int place(String name, boolean ofSource, List<String> fields, List<Field> ofColumns, Schema schema) {
        int field = -1;
        for (int f = 0; f < fields.size(); f++) {
            if (fields.get(f).equals(name)) {
                boolean half = schema.text().clock(ofColumns.get(f).name()) != null;
                if (half && !ofSource) {
                    return f;
                }
                field = half ? field : f;
            }
        }
        return field;
    }

    /**
     * Puts fields in place of the columns that the schema says hold them; others of their names go nowhere then.
     *
     * @return the columns that were found by what the schema says
     */
    private static Set<Integer> fromSources(List<String> names, Schema schema) {
        Map<String, String> from = schema.text().from();
        List<String> header = List.copyOf(names);
        Set<Integer> ofSources = new HashSet<>();
        for (int c = 0; c < header.size() && !from.isEmpty(); c++) {
            String name = header.get(c);
            String field = null;
            boolean half = false;
            for (Map.Entry<String, String> one : from.entrySet()) {
                String clock = schema.text().clock(one.getKey());
                half |= clock != null && (one.getValue().equals(name) || clock.equals(name));
                field = clock == null && one.getValue().equals(name) ? one.getKey() : field;
            }
            if (half) {
                continue; // it goes by its own name
            }
            String holds = from.get(name);
            if (field != null) {
                names.set(c, field);
                ofSources.add(c);
            } else if (holds != null && header.contains(holds)) {
                names.set(c, IGNORED);
            }
        }
        return ofSources;
    }

    private static WaterwheelException bad(String message) {
        return new WaterwheelException(ErrorCode.BAD_FILE, message);
    }

    /** The names in a header line. */
    public static List<String> names(byte[] header, RecordText.Csv signs) {
        List<String> names = new ArrayList<>();
        for (CsvCells.Cell cell : CsvCells.of(new String(header, StandardCharsets.UTF_8), signs)) {
            names.add(name(cell));
        }
        return names;
    }

    /** What a cell of the header line names. */
    public static String name(CsvCells.Cell cell) {
        String name = cell.text().strip();
        // A space before the quote, which no row may have, does no harm here.
        boolean quoted = !cell.quoted() && name.length() >= 2 && name.startsWith("\"") && name.endsWith("\"");
        return quoted ? name.substring(1, name.length() - 1) : name;
    }

    /** The line in the schema's order; null when it has another number of columns than the first line. */
    public byte @Nullable [] inOrder(byte[] line) {
        Line ordered = inOrder(Line.of(line));
        return ordered == null ? null : ordered.copy();
    }

    /** The same, until the next call. */
    public @Nullable Line inOrder(Line line) {
        if (inOrder) {
            return line;
        }
        if (!split(line)) {
            return null;
        }
        byte[] bytes = line.bytes();
        // Two more: for an end of the line.
        int most = line.length() + columnOf.length + 2;
        if (most > out.length) {
            out = new byte[Math.max(most, out.length * 2)];
        }
        int length = 0;
        for (int column : columnOf) {
            if (column >= 0) {
                int some = starts[column + 1] - 1 - starts[column];
                System.arraycopy(bytes, starts[column], out, length, some);
                length += some;
            }
            out[length++] = delimiter;
        }
        if (length > 1 && out[length - 2] == '\r') {
            // It was within the line, and would be taken for the line's end.
            out[length - 1] = '\r';
            out[length++] = '\n';
        } else {
            length--;
        }
        return ordered.set(out, 0, length);
    }

    private boolean split(Line line) {
        byte[] bytes = line.bytes();
        int to = line.to();
        starts[0] = line.from();
        starts[columns] = to + 1;
        int column = 0;
        for (int i = line.from(); i < to; i++) {
            byte c = bytes[i];
            if (c == delimiter) {
                if (++column == columns) {
                    return false;
                }
                starts[column] = i + 1;
            } else if (quotes.minds(c)) {
                return splitQuoted(line);
            }
        }
        return column == columns - 1;
    }

    /** Of a line that has a quote or an escape: delimiters may belong to its values. */
    private boolean splitQuoted(Line line) {
        int column = 0;
        quotes.begin();
        for (int i = line.from(); i < line.to(); i++) {
            if (!quotes.inside(line.bytes()[i]) && line.bytes()[i] == delimiter) {
                if (++column == columns) {
                    return false;
                }
                starts[column] = i + 1;
            }
        }
        return column == columns - 1;
    }

    /** Number of columns that are named. */
    public int columns() {
        return columns;
    }
}
