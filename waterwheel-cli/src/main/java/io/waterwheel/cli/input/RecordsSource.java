package io.waterwheel.cli.input;

import io.waterwheel.decode.Utf8;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.List;

/** Records of a topic, each as a line: in JSON a line end between tokens is no more than a space. */
public final class RecordsSource implements InputSource {
    private final String name;
    private final byte[] lines;

    /** Records whose values have a backslash as escape, if any. */
    public RecordsSource(String name, List<byte[]> records) {
        this(name, records, '\\');
    }

    /**
     * @param name what messages call them
     * @param escape a sign that may make a character of what is behind it; of CSV
     */
    public RecordsSource(String name, List<byte[]> records, char escape) {
        this.name = name;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] record : records) {
            int end = record.length;
            while (end > 0 && (record[end - 1] == '\n' || record[end - 1] == '\r')) {
                end--;
            }
            for (int i = 0; i < end; i++) {
                out.write(record[i] == '\n' || record[i] == '\r' ? ' ' : record[i]);
            }
            // Behind an escape the end would belong to the record, and the next record, too.
            if (endsEscaping(record, end, escape)) {
                out.write(' ');
            }
            out.write('\n');
        }
        this.lines = out.toByteArray();
    }

    private static boolean endsEscaping(byte[] record, int end, char escape) {
        int at = end;
        while (at > 0 && record[at - 1] == escape) {
            at--;
        }
        return (end - at) % 2 == 1;
    }

    /** Whether a record is text in UTF-8. */
    public static boolean isText(byte[] record) {
        for (byte b : record) {
            if (b >= 0 && b < ' ' && b != '\t' && b != '\n' && b != '\r') {
                return false;
            }
        }
        return Utf8.valid(record, 0, record.length);
    }

    /** Whether its first character, but for spaces, opens a JSON object. */
    public static boolean startsObject(byte[] record) {
        int at = 0;
        while (at < record.length && record[at] >= 0 && record[at] <= ' ') {
            at++;
        }
        return at < record.length && record[at] == '{';
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public InputStream open() {
        return new ByteArrayInputStream(lines);
    }

    @Override
    public long size() {
        return lines.length;
    }

    @Override
    public long mostLookedAt() {
        return Long.MAX_VALUE;
    }
}
