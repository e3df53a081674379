package io.waterwheel.cli.input;

import com.github.luben.zstd.ZstdIOException;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.text.JsonEnd;
import io.waterwheel.unpack.GzipMembers;
import io.waterwheel.unpack.ZstdFrames;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a file, plain, gzip'd or compressed by Zstandard, in UTF-8 and without their ends; empty ones are left
 * out. A file in UTF-16 is told by its mark, one in another encoding is named. In CSV a line end between quotes belongs
 * to the line, and a first line such as {@code sep=;} is none. In JSON a file may also be one array, whose elements are
 * the lines then, or objects that go over lines: a line end in them becomes a space; or a file of Avro, each record of
 * which is a line. One thread.
 */
public final class InputLines implements AutoCloseable {
    /** Longest line; a longer one is an error, before more memory is taken for it. */
    static final int MAX_LINE_BYTES = 1 << 20;

    /** How a frame of Zstandard begins. */
    private static final byte[] ZSTD = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD};

    private static final byte[] ANNOUNCES = {'s', 'e', 'p', '='};

    private static final byte[] NOTHING = {};
    private static final int BUFFER_BYTES = 1 << 16;

    /** 128 MiB, as much as the zstd command takes without being asked to. */
    private static final int MOST_WINDOW_LOG = 27;

    private final InputStream in;
    private final FileEncoding encoding;
    private final boolean quotes;
    private final boolean avro;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final ByteArrayOutputStream carried = new ByteArrayOutputStream();
    private int at;
    private int end;

    /** Line ends read so far. */
    private long ends;

    private long lineNumber;
    private long lastLineNumber;
    private RecordText.Csv signs = RecordText.Csv.DEFAULT;
    private CsvQuotes csv = new CsvQuotes(signs);

    private final Line line = new Line();
    private Runnable beforeRead = () -> {};
    /** The delimiter that a first line such as {@code sep=;} names; 0: none. */
    private char announced;
    /** Of JSON: whether a line may be an array, so that one is no file of elements. */
    private boolean arraysAreLines;

    /** Of CSV: lines before the first that is read, and lines at the end, that are left out. */
    private int leavesFirst;

    private int leavesLast;
    /** Whether the next line names the columns, so that it is none of the last rows. */
    private boolean namesNext;
    /** What a line begins with that is left out; 0: none. */
    private char comment;

    private long comments;
    /** The number of the first of them; 0: there is none. */
    private long firstComment;

    private @Nullable CommentLook looksAtComments;

    /** Sees lines that are left out as comments. */
    public interface CommentLook {
        /**
         * One such line.
         *
         * @param text as much of it as counts, without its end
         */
        void at(String text, long lineNumber);
    }

    /** Of a comment, for one who looks at it. */
    private static final int MOST_COMMENT_BYTES = 1 << 16;

    /** Lines that were read, of which it is not known whether they are the last. */
    private final ArrayDeque<Ahead> ahead = new ArrayDeque<>();

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Ahead(byte[] text, long number, long lastNumber) {}

    private byte[] begin = NOTHING;
    private long beginLine;
    private boolean begun;
    /** Of JSON: whether values go over lines. */
    private boolean document;
    /** Whether they are elements of an array. */
    private boolean elements;
    /** The first line, where it was read to see how the file is written. */
    private byte @Nullable [] first;

    /** @param quotes whether it is CSV: line ends between quotes belong to the line; else it is JSON */
    public InputLines(InputStream source, boolean quotes) throws IOException {
        this(source, quotes, null);
    }

    /**
     * @param quotes whether it is CSV: line ends between quotes belong to the line; else it is JSON
     * @param named its encoding; null: UTF-8, or the one of UTF-16 that it begins as
     */
    public InputLines(InputStream source, boolean quotes, @Nullable FileEncoding named) throws IOException {
        this.quotes = quotes;
        BufferedInputStream buffered = new BufferedInputStream(source, BUFFER_BYTES);
        buffered.mark(OtherFiles.MOST_BYTES);
        byte[] magic = buffered.readNBytes(ZSTD.length);
        String other = OtherFiles.what(magic, buffered);
        buffered.reset();
        if (!other.isEmpty()) {
            throw new IOException(other);
        }
        BufferedInputStream plain = buffered;
        if (magic.length >= 2 && magic[0] == 0x1f && magic[1] == (byte) 0x8b) {
            plain = new BufferedInputStream(gzip(buffered), BUFFER_BYTES);
        } else if (OtherFiles.begins(magic, ZSTD)) {
            plain = new BufferedInputStream(new ZstdFrames(buffered, MOST_WINDOW_LOG), BUFFER_BYTES);
        }
        try {
            plain.mark(ZSTD.length);
            byte[] begin = plain.readNBytes(ZSTD.length);
            plain.reset();
            this.avro = AvroFile.begins(begin);
            if (avro) {
                if (quotes) {
                    throw new IOException("it is an Avro file: --format json reads it");
                }
                if (named != null && named != FileEncoding.UTF_8) {
                    throw new IOException("it is an Avro file, whose texts are UTF-8: leave --encoding out");
                }
                this.encoding = FileEncoding.UTF_8;
                this.in = new AvroFile(plain);
            } else {
                this.encoding = FileEncoding.of(plain, named);
                this.in = encoding.inUtf8(plain);
            }
        } catch (EOFException | ZipException | ZstdIOException e) {
            throw damaged(e);
        }
    }

    /** The encoding of the file: as named, or as its beginning shows. */
    public FileEncoding encoding() {
        return encoding;
    }

    /** Whether its records are of Avro, whose texts have one encoding only. */
    public boolean isAvro() {
        return avro;
    }

    /** By path the decimals that an Avro file's schema has; of other files empty. */
    public Map<String, FieldType> decimals() {
        return in instanceof AvroFile file ? file.decimals() : Map.of();
    }

    private InputStream gzip(InputStream packed) throws IOException {
        try {
            return new GzipMembers(packed, BUFFER_BYTES);
        } catch (EOFException | ZipException e) {
            throw damaged(e);
        }
    }

    /** Of JSON: a line is a record, also where it is an array. Called before {@link #next}. */
    public InputLines arraysAreLines(boolean are) {
        arraysAreLines = are;
        return this;
    }

    /**
     * Of CSV: leaves out what is no row. Called before {@link #next}.
     *
     * @param first lines at the beginning, empty ones and those within quotes too
     * @param sign what lines begin with that are comments; 0: none
     * @param last rows at the end
     * @param names whether the next line names the columns, and so is no row
     */
    public InputLines leaveOut(int first, char sign, int last, boolean names) {
        leavesFirst = quotes ? first : 0;
        comment = quotes ? sign : '\0';
        leavesLast = quotes ? last : 0;
        namesNext = names;
        return this;
    }

    /** Hands comments to one who looks at them. Called before {@link #next}. */
    public InputLines looksAtComments(CommentLook look) {
        looksAtComments = look;
        return this;
    }

    /** Lines that were left out as comments so far. */
    public long comments() {
        return comments;
    }

    /** The number of the first line that was; 0: there is none. */
    public long firstComment() {
        return firstComment;
    }

    /** The next line, a copy; null at the end. */
    public byte @Nullable [] next() throws IOException {
        Line line = read();
        return line == null ? null : line.copy();
    }

    /** The next line, which is there until the next call; null at the end. */
    public @Nullable Line read() throws IOException {
        if (leavesLast == 0 || namesNext) {
            namesNext = false;
            return readNext();
        }
        if (readAhead(leavesLast + 1) <= leavesLast) {
            return null;
        }
        Ahead next = ahead.remove();
        lineNumber = next.number;
        lastLineNumber = next.lastNumber;
        return whole(next.text);
    }

    /** Of the rows at the end that are left out, how many stand behind the last that was read, at most all of them. */
    public int lastRowsBehind() throws IOException {
        return readAhead(leavesLast);
    }

    private int readAhead(int rows) throws IOException {
        for (Line next = null; ahead.size() < rows; ) {
            next = readNext();
            if (next == null) {
                break;
            }
            ahead.add(new Ahead(next.copy(), lineNumber, lastLineNumber));
        }
        return ahead.size();
    }

    private void leaveFirst() throws IOException {
        while (leavesFirst > 0 && passLine()) {
            leavesFirst--;
        }
        leavesFirst = 0;
    }

    /** Passes over the bytes to the end of a line, whatever they are; false at the end of the file. */
    private boolean passLine() throws IOException {
        if (at == end && !fill()) {
            return false;
        }
        while (at < end || fill()) {
            if (buffer[at++] == '\n') {
                ends++;
                break;
            }
        }
        return true;
    }

    private void passComment() throws IOException {
        CommentLook look = looksAtComments;
        if (look == null) {
            passLine();
            return;
        }
        long number = ends + 1;
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        boolean more = true;
        while (more && (at < end || fill())) {
            byte c = buffer[at++];
            more = c != '\n';
            if (more && text.size() < MOST_COMMENT_BYTES) {
                text.write(c);
            }
        }
        ends += more ? 0 : 1;
        look.at(text.toString(StandardCharsets.UTF_8).stripTrailing(), number);
    }

    private boolean isComment() throws IOException {
        return comment != '\0' && begin.length == 0 && (at < end || fill()) && buffer[at] == comment;
    }

    private @Nullable Line readNext() throws IOException {
        if (leavesFirst > 0) {
            leaveFirst();
        }
        if (!quotes && !begun) {
            begun = true;
            seeDocument();
        }
        if (document) {
            byte[] value = value();
            return value == null ? null : whole(value);
        }
        byte[] seen = first;
        if (seen != null) {
            first = null;
            return whole(seen);
        }
        while (true) {
            while (isComment()) {
                comments++;
                firstComment = firstComment == 0 ? ends + 1 : firstComment;
                passComment();
            }
            lineNumber = begin.length > 0 ? beginLine : ends + 1;
            if (!line()) {
                return null;
            }
            int from = line.from();
            int to = quotes ? signs.endOfValues(line.bytes(), from, line.to()) : withoutReturn();
            if (quotes && lineNumber == 1 && announces(to)) {
                announced = (char) (line.bytes()[from + ANNOUNCES.length] & 0xFF);
            } else if (to > from) {
                return line.set(line.bytes(), from, to);
            }
        }
    }

    private Line whole(byte[] bytes) {
        return line.set(bytes, 0, bytes.length);
    }

    private int withoutReturn() {
        return line.length() > 0 && line.bytes()[line.to() - 1] == '\r' ? line.to() - 1 : line.to();
    }

    /**
     * Sees whether values go over lines: whether it begins with an array, or with an object that its line does not end.
     */
    private void seeDocument() throws IOException {
        int c = pass(false);
        if (c == '[' && !arraysAreLines) {
            at++;
            document = true;
            elements = true;
        } else if (c == '{') {
            lineNumber = ends + 1;
            byte[] seen = line() ? line.copy() : NOTHING;
            int last = seen.length - 1;
            while (last >= 0 && seen[last] >= 0 && seen[last] <= ' ') {
                last--;
            }
            // A line that is cut off ends otherwise, mostly: it spoils itself alone.
            document = last >= 0 && "{[,:".indexOf(seen[last]) >= 0;
            first = Arrays.copyOf(seen, last + 1);
        }
    }

    /** Passes over spaces and line ends, and commas too; returns the byte behind, or -1 at the end. */
    private int pass(boolean commas) throws IOException {
        while (true) {
            if (at == end && !fill()) {
                return -1;
            }
            byte c = buffer[at];
            if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && !(commas && c == ',')) {
                return c & 0xFF;
            }
            ends += c == '\n' ? 1 : 0;
            at++;
        }
    }

    /** Whether there is more. */
    private boolean fill() throws IOException {
        at = 0;
        end = Math.max(0, fromFile());
        return end > 0;
    }

    /** The next value of JSON that goes over lines. */
    private byte @Nullable [] value() throws IOException {
        carried.reset();
        JsonEnd reached = new JsonEnd();
        byte[] seen = first;
        if (seen != null) {
            first = null;
            for (byte c : seen) {
                reached.pass(c);
            }
            carried.write(seen);
            carried.write(' ');
        } else {
            int c = pass(elements);
            while (c == ']' && elements) {
                at++;
                c = pass(false);
                elements = c == '[';
                if (elements) {
                    at++;
                    c = pass(true);
                } else if (c < 0) {
                    return null;
                }
            }
            if (c < 0 && elements) {
                throw new IOException("the JSON array is not closed; is the file cut off after line " + ends + "?");
            } else if (c < 0) {
                return null;
            }
            lineNumber = ends + 1;
        }
        while (!reached.reached() && (at < end || fill())) {
            byte c = buffer[at];
            if (reached.isBefore(c)) {
                break;
            }
            ends += c == '\n' ? 1 : 0;
            reached.pass(c);
            carried.write(c == '\n' || c == '\r' ? ' ' : c);
            at++;
            if (carried.size() > MAX_LINE_BYTES) {
                throw new IOException("the JSON value of line " + lineNumber + " has over " + MAX_LINE_BYTES
                        + " bytes; is one of its braces not closed?");
            }
        }
        lastLineNumber = ends + 1;
        return carried.toByteArray();
    }

    /** As spreadsheets write it for each other. */
    private boolean announces(int to) {
        int names = to - 1;
        return names - line.from() == ANNOUNCES.length
                && Arrays.equals(line.bytes(), line.from(), names, ANNOUNCES, 0, ANNOUNCES.length);
    }

    /** The delimiter that the file's first line, such as {@code sep=;}, names; 0: it names none. */
    public char announced() {
        return announced;
    }

    /** From the next line on, CSV has these signs; those of RFC 4180 before. */
    public InputLines divideBy(RecordText.Csv signs) {
        this.signs = signs;
        csv = new CsvQuotes(signs);
        return this;
    }

    /** Called before more of the file is read, which may wait. */
    public InputLines beforeRead(Runnable call) {
        beforeRead = call;
        return this;
    }

    /**
     * The next line of CSV begins with this, which was read before.
     *
     * @param line the number of its first line
     */
    public void begins(byte[] text, long line) {
        begin = text;
        beginLine = line;
    }

    /** Number of the line that {@link #next} returned last, from 1; of its first, when it spans several. */
    public long lineNumber() {
        return lineNumber;
    }

    /** Number of the last line of what {@link #next} returned last. */
    public long lastLineNumber() {
        return lastLineNumber;
    }

    /** Sees whether the next line lies in the buffer as a whole; then it is the present one. */
    private boolean lineInBuffer() {
        int to = LineSigns.find(buffer, at, end, '\n', quotes ? signs.quote() : '\n', quotes ? signs.escape() : '\n');
        long passed = 0;
        if (to < end && buffer[to] != '\n') {
            // A quote or an escape: line ends may belong to the line.
            csv.begin();
            for (to = at; to < end; to++) {
                boolean inQuotes = csv.inside(buffer[to]);
                if (buffer[to] == '\n') {
                    if (!inQuotes) {
                        break;
                    }
                    passed++;
                }
            }
        }
        if (to >= end) {
            return false;
        }
        line.set(buffer, at, to);
        at = to + 1;
        ends += passed + 1;
        lastLineNumber = ends;
        return true;
    }

    /** Whether there is a next line; it is the present one then, with its end's CR. */
    private boolean line() throws IOException {
        if (begin.length == 0 && lineInBuffer()) {
            return true;
        }
        carried.reset();
        csv.begin();
        for (byte c : begin) {
            csv.inside(c);
            carried.write(c);
        }
        begin = NOTHING;
        while (true) {
            if (at == end) {
                at = 0;
                end = fromFile();
                if (end <= 0) {
                    end = 0;
                    lastLineNumber = ends + 1;
                    return whole(carried.toByteArray()).length() > 0;
                }
            }
            int from = at;
            while (at < end) {
                byte c = buffer[at++];
                boolean inQuotes = quotes && csv.inside(c);
                if (c == '\n') {
                    ends++;
                    if (!inQuotes) {
                        lastLineNumber = ends;
                        carry(from, at - 1);
                        whole(carried.toByteArray());
                        return true;
                    }
                }
            }
            carry(from, at);
        }
    }

    private int fromFile() throws IOException {
        beforeRead.run();
        try {
            return in.read(buffer, 0, buffer.length);
        } catch (CharacterCodingException e) {
            throw new IOException(
                    "behind line " + ends + " are bytes that are no " + encoding.label()
                            + "; is the file cut off, or in another encoding? --encoding names it",
                    e);
        } catch (EOFException | ZipException | ZstdIOException e) {
            throw damaged(e);
        }
    }

    private IOException damaged(IOException e) {
        return new IOException(
                "the compressed file is cut off or damaged after line " + ends + ": "
                        + (e.getMessage() == null ? "it ends too early" : e.getMessage()),
                e);
    }

    private void carry(int from, int to) throws IOException {
        if (carried.size() + (to - from) > MAX_LINE_BYTES) {
            throw new IOException("line " + lineNumber + " has over " + MAX_LINE_BYTES + " bytes"
                    + (quotes ? "; is a quote not closed?" : ""));
        }
        carried.write(buffer, from, to - from);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
