package io.waterwheel.client.cli;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a file, plain, gzip'd or compressed by Zstandard, without their ends; empty ones are left out. In CSV a
 * line end between quotes belongs to the line. One thread.
 */
final class InputLines implements AutoCloseable {
    /** Longest line; a longer one is an error, before more memory is taken for it. */
    static final int MAX_LINE_BYTES = 1 << 20;

    /** How a frame of Zstandard begins. */
    private static final byte[] ZSTD = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD};

    private static final int BUFFER_BYTES = 1 << 16;

    private final InputStream in;
    private final boolean quotes;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final ByteArrayOutputStream carried = new ByteArrayOutputStream();
    private int at;
    private int end;
    private boolean first = true;

    /** Line ends read so far. */
    private long ends;

    private long lineNumber;

    /** @param quotes whether line ends between quotes belong to the line */
    InputLines(InputStream source, boolean quotes) throws IOException {
        this.quotes = quotes;
        BufferedInputStream buffered = new BufferedInputStream(source, BUFFER_BYTES);
        buffered.mark(ZSTD.length);
        byte[] magic = buffered.readNBytes(ZSTD.length);
        buffered.reset();
        if (magic.length >= 2 && magic[0] == 0x1f && magic[1] == (byte) 0x8b) {
            this.in = new GZIPInputStream(buffered, BUFFER_BYTES);
        } else if (Arrays.equals(magic, ZSTD)) {
            this.in = new ZstdInputStream(buffered);
        } else {
            this.in = buffered;
        }
    }

    /** The next line, a copy; null at the end. */
    byte @Nullable [] next() throws IOException {
        while (true) {
            lineNumber = ends + 1;
            byte[] line = line();
            if (line == null) {
                return null;
            }
            int from = 0;
            if (first
                    && line.length >= 3
                    && line[0] == (byte) 0xEF
                    && line[1] == (byte) 0xBB
                    && line[2] == (byte) 0xBF) {
                from = 3; // a mark of the encoding that some editors put first
            }
            first = false;
            int to = line.length > from && line[line.length - 1] == '\r' ? line.length - 1 : line.length;
            if (to > from) {
                return from == 0 && to == line.length ? line : Arrays.copyOfRange(line, from, to);
            }
        }
    }

    /** Number of the line that {@link #next} returned last, from 1; of its first, when it spans several. */
    long lineNumber() {
        return lineNumber;
    }

    private byte @Nullable [] line() throws IOException {
        carried.reset();
        boolean inQuotes = false;
        while (true) {
            if (at == end) {
                at = 0;
                end = read();
                if (end <= 0) {
                    end = 0;
                    return carried.size() == 0 ? null : carried.toByteArray();
                }
            }
            int from = at;
            while (at < end) {
                byte c = buffer[at++];
                if (c == '"' && quotes) {
                    inQuotes = !inQuotes;
                } else if (c == '\n') {
                    ends++;
                    if (!inQuotes) {
                        carry(from, at - 1);
                        return carried.toByteArray();
                    }
                }
            }
            carry(from, at);
        }
    }

    private int read() throws IOException {
        try {
            return in.read(buffer);
        } catch (EOFException | ZipException | ZstdIOException e) {
            throw new IOException(
                    "the compressed file is cut off or damaged after line " + ends + ": " + e.getMessage(), e);
        }
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
