package io.waterwheel.cli.input;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * How far a file has been appended, and the checksum of that much of it, so that going on with another file is noticed.
 * One thread.
 */
public final class FileProgress {
    private static final Pattern TEXT =
            Pattern.compile("lines=(\\d{1,18}) crc32c=([0-9a-f]{8}) sent=(\\d{1,18}) refused=(\\d{1,18})");

    /** What a note says. */
    public record Note(long lines, int checksum, long sent, long refused) {
        public static final Note NOTHING = new Note(0, 0, 0, 0);

        public static Note parse(byte[] text) {
            Matcher parts = TEXT.matcher(new String(text, US_ASCII));
            if (!parts.matches()) {
                throw new WaterwheelException(
                        ErrorCode.OTHER_PROGRESS,
                        "what was appended under this name was not the lines of a file; take another name");
            }
            return new Note(
                    Long.parseLong(parts.group(1)),
                    Integer.parseUnsignedInt(parts.group(2), 16),
                    Long.parseLong(parts.group(3)),
                    Long.parseLong(parts.group(4)));
        }

        public byte[] text() {
            return String.format(Locale.ROOT, "lines=%d crc32c=%08x sent=%d refused=%d", lines, checksum, sent, refused)
                    .getBytes(US_ASCII);
        }
    }

    private final CRC32C checksum = new CRC32C();
    private long lines;

    /** The next line was read. */
    public void passed(Line line) {
        checksum.update(line.bytes(), line.from(), line.length());
        checksum.update('\n');
        lines++;
    }

    public long lines() {
        return lines;
    }

    public Note note(long sent, long refused) {
        return new Note(lines, (int) checksum.getValue(), sent, refused);
    }

    /** Whether the lines passed are those that the note was made of. */
    public boolean agrees(Note note) {
        return lines == note.lines() && (int) checksum.getValue() == note.checksum();
    }
}
