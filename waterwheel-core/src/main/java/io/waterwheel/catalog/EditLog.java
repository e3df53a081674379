package io.waterwheel.catalog;

import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The catalog of one stream that lives in one process: its edits in a local file, a line each, forced to the device
 * before {@link #append} returns. A line is its checksum (CRC32C of what follows the space, 8 hexadecimal digits), a
 * space and JSON; the first is the stream's entry. A last line without its end, or with bytes in it that were never
 * written, was never committed and is cut off; any other damage is a {@link CorruptCatalogException}: what a line that
 * is there whole may have committed is not dropped unasked.
 *
 * <p>Owner: the stream's writer thread. Readers: {@link #snapshot} from any thread. Published by: a volatile write of
 * the snapshot, once its edit is on the device.
 */
public final class EditLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EditLog.class);
    private static final int CHECKSUM_CHARS = 9;

    private final Path file;
    private final FileChannel channel;
    private volatile StreamSnapshot snapshot;
    /** A write failed: what the file ends with is not known until it is opened again. Writer only. */
    private boolean broken;

    private EditLog(Path file, FileChannel channel, StreamSnapshot snapshot) {
        this.file = file;
        this.channel = channel;
        this.snapshot = snapshot;
    }

    /**
     * Opens the log of a stream, or makes it.
     *
     * @param domain of the stream's keys
     * @throws WaterwheelException when the file is of another stream, or damaged
     */
    public static EditLog open(Path file, StreamInfo stream, KeyInterval domain) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean opened = false;
        try {
            byte[] content = Files.readAllBytes(file);
            int whole = lastLineEnd(file, content);
            if (whole < content.length) {
                LOG.warn("{}: cut off {} bytes behind the last whole line", file, content.length - whole);
                channel.truncate(whole);
            }
            channel.position(whole);
            EditLog log = new EditLog(file, channel, read(file, content, whole, stream));
            if (log.snapshot.edit() == 0) {
                // A file that holds no more than the stream's entry was never used.
                channel.truncate(0);
                log.write(CatalogJson.write(stream));
                log.append(new Edit.Created(
                        RoutingTable.even(1, domain, stream.indexers()), Collections.nCopies(stream.partitions(), 0L)));
            }
            forceFolder(file);
            opened = true;
            return log;
        } finally {
            if (!opened) {
                channel.close();
            }
        }
    }

    /** Where the last line ends that is whole; a damaged line that was written whole is an error. */
    private static int lastLineEnd(Path file, byte[] content) {
        int from = 0;
        int number = 1;
        while (from < content.length) {
            int end = from;
            while (end < content.length && content[end] != '\n') {
                end++;
            }
            if (end == content.length) {
                return from;
            }
            if (!isWhole(content, from, end)) {
                if (end + 1 == content.length && isTorn(content, from, end)) {
                    return from;
                }
                throw new CorruptCatalogException(
                        file + " line " + number,
                        new IOException("its checksum does not fit; restore the file: without the line, chunks that"
                                + " only it names would be deleted"));
            }
            from = end + 1;
            number++;
        }
        return from;
    }

    /** Whether power was lost while it was written: a block that did not get to the device reads as zeros. */
    private static boolean isTorn(byte[] content, int from, int end) {
        for (int i = from; i < end; i++) {
            if (content[i] == 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWhole(byte[] content, int from, int end) {
        if (end - from <= CHECKSUM_CHARS) {
            return false;
        }
        String expected = new String(content, from, CHECKSUM_CHARS, StandardCharsets.US_ASCII);
        return expected.equals(checksum(content, from + CHECKSUM_CHARS, end));
    }

    private static String checksum(byte[] content, int from, int end) {
        CRC32C crc = new CRC32C();
        crc.update(content, from, end - from);
        return String.format(Locale.ROOT, "%08x ", crc.getValue());
    }

    private static StreamSnapshot read(Path file, byte[] content, int whole, StreamInfo stream) {
        StreamSnapshot snapshot = StreamSnapshot.before(stream);
        int number = 1;
        for (int from = 0; from < whole; number++) {
            int end = from;
            while (content[end] != '\n') {
                end++;
            }
            String where = file + " line " + number;
            byte[] json = Arrays.copyOfRange(content, from + CHECKSUM_CHARS, end);
            if (number == 1) {
                StreamInfo stored = CatalogJson.readStream(where, json);
                if (!stored.equals(stream)) {
                    throw new WaterwheelException(
                            ErrorCode.ANOTHER_STREAM,
                            where + ": the folder holds " + stored + ", asked for " + stream
                                    + "; open it as it was made, or take another folder");
                }
            } else {
                try {
                    snapshot = snapshot.apply(snapshot.edit() + 1, CatalogJson.readEdit(where, json));
                } catch (IllegalArgumentException e) {
                    throw new CorruptCatalogException(where, e);
                }
            }
            from = end + 1;
        }
        return snapshot;
    }

    /** The catalog after the last edit. */
    public StreamSnapshot snapshot() {
        return snapshot;
    }

    /**
     * Adds an edit; it is on the device, and in the snapshot, when this returns.
     *
     * @throws IOException when it could not be written; whether it is there is then known after the next open
     */
    public void append(Edit edit) throws IOException {
        StreamSnapshot next = snapshot.apply(snapshot.edit() + 1, edit);
        requireUsable();
        broken = true;
        write(CatalogJson.write(edit));
        broken = false;
        snapshot = next;
    }

    /**
     * Checks that edits may be added.
     *
     * @throws IOException when a write failed before: what the file ends with is not known until it is opened again
     */
    public void requireUsable() throws IOException {
        if (broken) {
            throw new IOException(file + ": a write failed before; close it and open it again");
        }
    }

    /** A file's name is on the device when its folder is, and that folder's when the one above is. */
    private static void forceFolder(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        for (int level = 0; level < 2 && folder != null; level++) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
            folder = folder.getParent();
        }
    }

    private void write(byte[] json) throws IOException {
        ByteBuffer line = ByteBuffer.allocate(CHECKSUM_CHARS + json.length + 1);
        line.put(checksum(json, 0, json.length).getBytes(StandardCharsets.US_ASCII));
        line.put(json).put((byte) '\n').flip();
        while (line.hasRemaining()) {
            channel.write(line);
        }
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public String toString() {
        return "EditLog[" + file + ", edit " + snapshot.edit() + "]";
    }

    /** The files that the catalog names. */
    public List<String> files() {
        List<String> files = new ArrayList<>();
        snapshot.chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunk -> files.add(chunk.file()));
        return files;
    }
}
