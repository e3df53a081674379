package io.waterwheel.cli.output;

import io.waterwheel.client.Cursor;
import io.waterwheel.encode.TextRows;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Prints an answer's rows. */
public abstract class RowPrinter {
    /** How rows are printed. */
    public enum Format {
        TABLE,
        CSV,
        JSON
    }

    private static final int FLUSH_CHARS = 1 << 16;

    private final PrintStream out;
    private final StringBuilder buffer = new StringBuilder();

    RowPrinter(PrintStream out) {
        this.out = out;
    }

    public static RowPrinter of(Format format, PrintStream out) {
        return switch (format) {
            case TABLE -> new Table(out);
            case CSV -> new Csv(out);
            case JSON -> new Json(out);
        };
    }

    /**
     * Prints all rows.
     *
     * @return false when the reader of the output went away; the cursor is not at its end then
     */
    public boolean print(Cursor cursor) {
        List<Field> fields = List.of();
        boolean begun = false;
        while (cursor.next()) {
            if (!begun) {
                fields = cursor.fields();
                begin(fields, cursor.labels());
                begun = true;
            }
            List<@Nullable Object> values = new ArrayList<>(fields.size());
            for (int f = 0; f < fields.size(); f++) {
                values.add(cursor.value(f));
            }
            row(fields, values);
            if (buffer.length() >= FLUSH_CHARS && !write()) {
                return false;
            }
        }
        if (!begun) {
            begin(cursor.fields(), cursor.labels());
        }
        end();
        return write();
    }

    abstract void begin(List<Field> fields, List<String> labels);

    abstract void row(List<Field> fields, List<@Nullable Object> values);

    abstract void end();

    void line(CharSequence text) {
        buffer.append(text).append('\n');
    }

    private boolean write() {
        byte[] bytes = buffer.toString().getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
        buffer.setLength(0);
        // Flushes; true when the other end of a pipe is closed.
        return !out.checkError();
    }

    private static final class Csv extends RowPrinter {
        Csv(PrintStream out) {
            super(out);
        }

        @Override
        void begin(List<Field> fields, List<String> labels) {
            line(TextRows.csv(new ArrayList<>(labels)));
        }

        @Override
        void row(List<Field> fields, List<@Nullable Object> values) {
            line(TextRows.csv(values));
        }

        @Override
        void end() {}
    }

    private static final class Json extends RowPrinter {
        private List<String> names = List.of();

        Json(PrintStream out) {
            super(out);
        }

        @Override
        void begin(List<Field> fields, List<String> labels) {
            names = TextRows.apart(labels);
        }

        @Override
        void row(List<Field> fields, List<@Nullable Object> values) {
            line(TextRows.jsonOf(names, values));
        }

        @Override
        void end() {}
    }

    /** Columns as wide as the first rows need; a later, wider value pushes its line out. */
    private static final class Table extends RowPrinter {
        private static final int ROWS_THAT_SET_WIDTHS = 500;
        private static final int MOST_WIDTH = 60;

        private List<Field> fields = List.of();
        private List<String> names = List.of();
        private int[] widths = {};
        private final List<List<String>> waiting = new ArrayList<>();
        private boolean widthsSet;
        private long rows;

        Table(PrintStream out) {
            super(out);
        }

        @Override
        void begin(List<Field> answered, List<String> labels) {
            fields = answered;
            names = labels;
            widths = new int[answered.size()];
        }

        @Override
        void row(List<Field> answered, List<@Nullable Object> values) {
            List<String> cells = new ArrayList<>(values.size());
            for (int f = 0; f < values.size(); f++) {
                cells.add(cell(answered.get(f).type(), values.get(f)));
            }
            rows++;
            if (widthsSet) {
                line(cells);
                return;
            }
            waiting.add(cells);
            if (waiting.size() == ROWS_THAT_SET_WIDTHS) {
                release();
            }
        }

        @Override
        void end() {
            if (!widthsSet) {
                release();
            }
            line("(" + rows + (rows == 1 ? " row)" : " rows)"));
        }

        private void release() {
            widthsSet = true;
            widen(names);
            waiting.forEach(this::widen);
            if (!names.isEmpty()) {
                line(names);
                line(Arrays.stream(widths).mapToObj("-"::repeat).toList());
            }
            waiting.forEach(this::line);
            waiting.clear();
        }

        private void widen(List<String> cells) {
            for (int f = 0; f < widths.length; f++) {
                widths[f] =
                        Math.min(MOST_WIDTH, Math.max(widths[f], cells.get(f).length()));
            }
        }

        private void line(List<String> cells) {
            StringBuilder text = new StringBuilder();
            for (int f = 0; f < cells.size(); f++) {
                String cell = cells.get(f);
                String space = " ".repeat(Math.max(0, widths[f] - cell.length()));
                text.append(f == 0 ? "" : "  ");
                text.append(leftBound(fields.get(f).type()) ? cell + space : space + cell);
            }
            line(text.toString().stripTrailing());
        }

        private static boolean leftBound(FieldType type) {
            return !ValueType.of(type).numeric() && !type.isDecimal();
        }

        private static String cell(FieldType type, @Nullable Object value) {
            if (value == null) {
                return "-";
            }
            if (type.isTimestamp() && value instanceof Long units) {
                return type.resolution().instant(units).toString();
            }
            String text = TextRows.text(value);
            if (text.codePoints().noneMatch(Character::isISOControl)) {
                return text;
            }
            StringBuilder safe = new StringBuilder();
            text.codePoints().forEach(c -> {
                if (c == '\\' || Character.isISOControl(c)) {
                    safe.append(escape(c));
                } else {
                    safe.appendCodePoint(c);
                }
            });
            return safe.toString();
        }

        /**
         * A sign that would break the table, or that the terminal would obey, as Java writes it; and a backslash beside
         * one.
         */
        private static String escape(int control) {
            return switch (control) {
                case '\\' -> "\\\\";
                case '\n' -> "\\n";
                case '\r' -> "\\r";
                case '\t' -> "\\t";
                default -> String.format(Locale.ROOT, "\\u%04x", control);
            };
        }
    }
}
