package io.waterwheel.gateway.influx;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads one line of InfluxDB's line protocol, {@code measurement,tag=value field=1.5,other="text" 1700000000000000000},
 * after its description in InfluxDB's documentation. One thread.
 */
public final class LineProtocol {
    /** What is written behind a name. */
    public enum Kind {
        TAG,
        TEXT,
        NUMBER,
        /** A whole number of 64 bits with a sign. */
        INTEGER,
        FLAG
    }

    /**
     * A tag or a field.
     *
     * @param text without quotes and escapes; a number as JSON writes it, a flag {@code true} or {@code false}
     */
    public record Value(String name, Kind kind, String text) {}

    /**
     * One point.
     *
     * @param values tags, then fields
     * @param time in the unit of the request; empty where the line has none
     */
    public record Point(String measurement, List<Value> values, String time) {}

    /** A line that is no point. */
    public static final class BadLine extends Exception {
        private static final long serialVersionUID = 1;

        BadLine(String message) {
            super(message);
        }
    }

    /** Of one line; more are no measurement. */
    private static final int MOST_VALUES = 4_096;

    private final String line;
    private int at;

    private LineProtocol(String line) {
        this.line = line;
    }

    /**
     * Reads a line that is neither empty nor a comment.
     *
     * @throws BadLine when it is no point
     */
    public static Point read(byte[] bytes, int from, int to) throws BadLine {
        return new LineProtocol(new String(bytes, from, to - from, StandardCharsets.UTF_8)).point();
    }

    /** Where the line that begins here ends: a text between quotes may hold a line's end. */
    public static int end(byte[] bytes, int from) {
        boolean comment = bytes[from] == '#';
        boolean fields = false;
        boolean quoted = false;
        boolean valueBegins = false;
        int at = from;
        while (at < bytes.length && (quoted || bytes[at] != '\n')) {
            byte b = bytes[at];
            if (!comment) {
                if (b == '\\' && at + 1 < bytes.length && (quoted || bytes[at + 1] != '\n')) {
                    at++;
                } else if (b == '"' && (quoted || valueBegins)) {
                    quoted = !quoted;
                }
                fields |= b == ' ';
                valueBegins = fields && b == '=';
            }
            at++;
        }
        return Math.min(at, bytes.length);
    }

    private Point point() throws BadLine {
        if (line.indexOf('\uFFFD') >= 0) {
            throw new BadLine("is not valid UTF-8");
        }
        String measurement = word(", ", "\\, ");
        if (measurement.isEmpty()) {
            throw new BadLine("has no measurement");
        }
        List<Value> values = new ArrayList<>();
        while (peek() == ',') {
            at++;
            String name = name();
            String text = word(", ", ",= ");
            if (text.isEmpty()) {
                throw new BadLine("tag " + name + " has no value");
            }
            add(values, new Value(name, Kind.TAG, text));
        }
        spaces();
        if (at == line.length()) {
            throw new BadLine("has no field");
        }
        while (true) {
            add(values, field(name()));
            if (peek() != ',') {
                break;
            }
            at++;
        }
        spaces();
        String time = line.substring(at).stripTrailing();
        if (!time.isEmpty() && !time.matches("-?\\d{1,19}")) {
            throw new BadLine("'" + shortened(time) + "' is no time: expected a whole number");
        }
        return new Point(measurement, values, time);
    }

    private static void add(List<Value> values, Value value) throws BadLine {
        if (values.size() >= MOST_VALUES) {
            throw new BadLine("has more than " + MOST_VALUES + " tags and fields");
        }
        values.add(value);
    }

    private char peek() {
        return at < line.length() ? line.charAt(at) : '\n';
    }

    private void spaces() throws BadLine {
        if (at < line.length() && peek() != ' ') {
            throw new BadLine("'" + peek() + "' stands at character " + (at + 1) + ": expected a space");
        }
        while (peek() == ' ') {
            at++;
        }
    }

    private String name() throws BadLine {
        String name = word("=, ", ",= ");
        if (name.isEmpty() || peek() != '=') {
            throw new BadLine("expected NAME=VALUE at character " + (at + 1));
        }
        at++;
        return name;
    }

    /** Up to one of these ends; a backslash before one of the others stands for it alone. */
    private String word(String ends, String escaped) {
        StringBuilder word = new StringBuilder();
        while (at < line.length() && ends.indexOf(line.charAt(at)) < 0) {
            char c = line.charAt(at);
            if (c == '\\' && at + 1 < line.length() && escaped.indexOf(line.charAt(at + 1)) >= 0) {
                at++;
                c = line.charAt(at);
            }
            word.append(c);
            at++;
        }
        return word.toString();
    }

    private Value field(String name) throws BadLine {
        if (peek() == '"') {
            return new Value(name, Kind.TEXT, quoted(name));
        }
        int from = at;
        while (at < line.length() && peek() != ',' && peek() != ' ') {
            at++;
        }
        String text = line.substring(from, at);
        switch (text) {
            case "t", "T", "true", "True", "TRUE" -> {
                return new Value(name, Kind.FLAG, "true");
            }
            case "f", "F", "false", "False", "FALSE" -> {
                return new Value(name, Kind.FLAG, "false");
            }
            default -> {
                // a number, or none
            }
        }
        if (text.matches("-?\\d{1,19}i|\\d{1,20}u")) {
            String digits = plain(text.substring(0, text.length() - 1));
            BigInteger whole = new BigInteger(digits);
            boolean signed = text.endsWith("i");
            if (signed ? whole.bitLength() > 63 : whole.bitLength() > 64) {
                throw new BadLine("field " + name + ": " + text + " is more than an integer of 64 bits can hold");
            }
            return new Value(name, signed ? Kind.INTEGER : Kind.NUMBER, digits);
        }
        if (text.matches("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,4})?")) {
            return new Value(name, Kind.NUMBER, plain(text));
        }
        throw new BadLine("field " + name + ": '" + shortened(text) + "' is no value");
    }

    /** As JSON writes it: no plus, no leading zeros, digits on both sides of the point. */
    private static String plain(String number) {
        String text = number.startsWith("+") ? number.substring(1) : number;
        text = text.replaceFirst("^(-?)0+(?=\\d)", "$1").replaceFirst("^(-?)\\.", "$10.");
        return text.replaceFirst("\\.(?=$|[eE])", "");
    }

    private String quoted(String name) throws BadLine {
        StringBuilder text = new StringBuilder();
        for (at++; at < line.length(); at++) {
            char c = line.charAt(at);
            if (c == '"') {
                at++;
                return text.toString();
            }
            if (c == '\\' && at + 1 < line.length() && "\"\\".indexOf(line.charAt(at + 1)) >= 0) {
                at++;
                c = line.charAt(at);
            }
            text.append(c);
        }
        throw new BadLine("field " + name + ": the text does not end");
    }

    private static String shortened(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }
}
