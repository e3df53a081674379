package io.waterwheel.embedded.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The logs of partitions, while no broker has them open: takes out batches that were written and not accepted. On a
 * full disk Kafka may fail to write an index once the batch is in its log. The partition then gives the batch's offsets
 * to later ones; a consumer would read the first of an offset, and miss the one that was confirmed. Only for logs of a
 * disk that was full: nothing else makes Kafka give an offset twice.
 */
/* The broker gives a batch the offsets from its end on. A batch that begins at an offset therefore shows that all before
 * it which reach that offset were not accepted: they are taken out. The last of several may have been accepted or not; it
 * stays, as an append whose outcome is not known. Kafka makes an index anew that is not there. */
final class PartitionLogs {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionLogs.class);
    private static final Pattern PARTITION = Pattern.compile(".+-\\d+");
    private static final Pattern SEGMENT = Pattern.compile("\\d{20}\\.log");
    private static final String METADATA = "__cluster_metadata-0";
    private static final String MADE = ".repaired.tmp";

    // The head of a batch, as Kafka's page "Record Batch" has it, in big endian: the first offset (8 bytes), how many
    // bytes follow (4), the leader's epoch (4), the version of the format (1), a checksum (4), attributes (2), and how
    // far the last offset is from the first (4).
    private static final int LENGTH_AT = 8;
    private static final int LENGTH_END = 12;
    private static final int MAGIC_AT = 16;
    private static final int MAGIC = 2;
    private static final int CHECKSUM_AT = 17;
    private static final int CHECKED_FROM = 21;
    private static final int LAST_AT = 23;
    private static final int HEAD_BYTES = 27;

    private static final int BUFFER_BYTES = 64 << 10;

    /** What is written to a partition that is in such trouble is in its last segment, or was just before a new one. */
    private static final int SEGMENTS = 2;

    private PartitionLogs() {}

    /**
     * Takes them out of all partitions, with a line in the log for each file.
     *
     * @return number of batches that were taken out
     */
    static int repair(Path logs) throws IOException {
        if (!Files.isDirectory(logs)) {
            return 0;
        }
        List<Path> partitions;
        try (Stream<Path> all = Files.list(logs)) {
            partitions = all.filter(Files::isDirectory)
                    .filter(folder ->
                            PARTITION.matcher(folder.getFileName().toString()).matches())
                    .filter(folder -> !folder.getFileName().toString().equals(METADATA))
                    .sorted()
                    .toList();
        }
        int taken = 0;
        for (Path partition : partitions) {
            taken += repairPartition(partition);
        }
        return taken;
    }

    /** A batch of one of the segments, or several that lie behind each other. */
    private record Batch(int segment, long from, long to, long first, long last) {
        Batch with(Batch next) {
            return new Batch(segment, from, next.to(), first, next.last());
        }

        boolean isBefore(Batch next) {
            return segment == next.segment() && to == next.from();
        }
    }

    private static int repairPartition(Path partition) throws IOException {
        List<Path> segments;
        try (Stream<Path> all = Files.list(partition)) {
            segments = all.filter(file ->
                            SEGMENT.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        }
        List<Path> last = segments.subList(Math.max(0, segments.size() - SEGMENTS), segments.size());
        long[] end = {Long.MIN_VALUE};
        // The least offset that was given twice, and the last batch that shows it.
        long[] twice = {Long.MAX_VALUE, -1};
        long[] number = {0};
        read(last, batch -> {
            if (batch.first() <= end[0]) {
                twice[0] = Math.min(twice[0], batch.first());
                twice[1] = number[0];
            }
            end[0] = batch.last();
            number[0]++;
        });
        return twice[1] < 0 ? 0 : takeOut(last, twice[0], twice[1]);
    }

    /**
     * Rewrites segments that have some.
     *
     * @param twice the least offset that was given twice
     * @param shown number of the last batch that shows it: those behind are all accepted
     */
    private static int takeOut(List<Path> segments, long twice, long shown) throws IOException {
        List<Batch> kept = new ArrayList<>();
        Deque<Batch> doubtful = new ArrayDeque<>();
        int[] taken = new int[segments.size()];
        long[] number = {0};
        read(segments, batch -> {
            if (number[0]++ > shown || batch.last() < twice) {
                keep(kept, doubtful);
                keep(kept, batch);
                return;
            }
            while (!doubtful.isEmpty() && doubtful.getLast().last() >= batch.first()) {
                taken[doubtful.removeLast().segment()]++;
            }
            doubtful.addLast(batch);
        });
        keep(kept, doubtful);
        int all = 0;
        for (int s = 0; s < segments.size(); s++) {
            if (taken[s] > 0) {
                int own = s;
                rewrite(
                        segments.get(s),
                        kept.stream().filter(batch -> batch.segment() == own).toList());
                LOG.warn("{}: {} batches that Kafka had not accepted were taken out", segments.get(s), taken[s]);
                all += taken[s];
            }
        }
        return all;
    }

    private static void keep(List<Batch> kept, Deque<Batch> doubtful) {
        doubtful.forEach(batch -> keep(kept, batch));
        doubtful.clear();
    }

    private static void keep(List<Batch> kept, Batch batch) {
        int last = kept.size() - 1;
        if (last >= 0 && kept.get(last).isBefore(batch)) {
            kept.set(last, kept.get(last).with(batch));
        } else {
            kept.add(batch);
        }
    }

    /** Reads all batches, up to where a segment was cut off or is damaged: Kafka forgets the rest. */
    private static void read(List<Path> segments, Consumer<Batch> visitor) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
        ByteBuffer body = ByteBuffer.allocate(BUFFER_BYTES);
        for (int s = 0; s < segments.size(); s++) {
            String name = segments.get(s).getFileName().toString();
            long base = Long.parseLong(name.substring(0, name.indexOf('.')));
            try (FileChannel in = FileChannel.open(segments.get(s), StandardOpenOption.READ)) {
                long at = 0;
                long size = in.size();
                while (at + HEAD_BYTES <= size) {
                    fill(in, at, head.clear());
                    long to = at + LENGTH_END + head.getInt(LENGTH_AT);
                    long first = head.getLong(0);
                    int further = head.getInt(LAST_AT);
                    // Kafka's own tests of a log that was not closed; the checksum leaves out the first offset.
                    if (head.hasRemaining()
                            || to < at + HEAD_BYTES
                            || to > size
                            || head.get(MAGIC_AT) != MAGIC
                            || first < base
                            || further < 0
                            || head.getInt(CHECKSUM_AT) != checksum(in, at + CHECKED_FROM, to, body)) {
                        break;
                    }
                    visitor.accept(new Batch(s, at, to, first, first + further));
                    at = to;
                }
            }
        }
    }

    private static void fill(FileChannel in, long at, ByteBuffer buffer) throws IOException {
        int got = 0;
        while (got >= 0 && buffer.hasRemaining()) {
            got = in.read(buffer, at + buffer.position());
        }
    }

    private static int checksum(FileChannel in, long from, long to, ByteBuffer buffer) throws IOException {
        CRC32C checksum = new CRC32C();
        for (long at = from; at < to; at += buffer.limit()) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), to - at));
            fill(in, at, buffer);
            checksum.update(buffer.flip());
        }
        return (int) checksum.getValue();
    }

    /**
     * Whole or not at all.
     *
     * @throws IOException when the disk has no room for it; nothing of it is left then
     */
    private static void rewrite(Path segment, List<Batch> batches) throws IOException {
        String name = segment.getFileName().toString();
        Path made = segment.resolveSibling(name + MADE);
        try (FileChannel in = FileChannel.open(segment, StandardOpenOption.READ);
                FileChannel out = FileChannel.open(
                        made,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            for (Batch batch : batches) {
                long at = batch.from();
                while (at < batch.to()) {
                    long copied = in.transferTo(at, batch.to() - at, out);
                    if (copied == 0) {
                        throw new IOException(segment + ": expected " + batch.to() + " bytes, it ends at " + at);
                    }
                    at += copied;
                }
            }
            out.force(true);
        } catch (IOException e) {
            // On a disk that was full, what is left of it would keep the room that was made.
            Files.deleteIfExists(made);
            throw e;
        }
        List<Path> indexes = new ArrayList<>();
        for (String kind : List.of(".index", ".timeindex")) {
            indexes.add(segment.resolveSibling(name.replace(".log", kind)));
        }
        for (Path index : indexes) {
            Files.deleteIfExists(index);
        }
        Files.move(made, segment, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
