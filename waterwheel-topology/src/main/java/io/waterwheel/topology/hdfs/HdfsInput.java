package io.waterwheel.topology.hdfs;

import io.waterwheel.store.ChunkStore;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.util.functional.FutureIO;

/** An open file of HDFS. Positioned reads of one stream may run side by side. */
record HdfsInput(String name, HdfsDataInputStream stream, long size) implements ChunkStore.Input {
    /** A gap that is cheaper read than jumped over: a read of its own costs about 0.4 ms, and so does 200 KiB. */
    private static final int MAX_GAP = 64 << 10;

    private static final int MAX_MERGED = 8 << 20;

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
        if (position < 0 || position > size - length) {
            throw endOfFile(position, length);
        }
        stream.readFully(position, target, offset, length);
    }

    private EOFException endOfFile(long position, int length) {
        return new EOFException(
                "chunk " + name + ": end of file at " + size + ", expected " + length + " bytes at " + position);
    }

    /** Near ranges are read as one: that is what is won. Hadoop 3.4 reads what is left of HDFS one after the other. */
    @Override
    public void readVectored(long[] positions, int[] lengths, byte[] target) throws IOException {
        List<FileRange> merged = new ArrayList<>();
        int[] rangeOf = new int[positions.length];
        long from = 0;
        long to = -1;
        for (int i = 0; i < positions.length; i++) {
            int length = lengths[i];
            if (positions[i] < 0 || positions[i] > size - length) {
                throw endOfFile(positions[i], length);
            }
            boolean near = to >= 0
                    && positions[i] >= to
                    && positions[i] - to <= MAX_GAP
                    && positions[i] + length - from <= MAX_MERGED;
            if (length == 0) {
                rangeOf[i] = -1;
                continue;
            }
            if (near) {
                to = positions[i] + length;
                merged.set(merged.size() - 1, FileRange.createFileRange(from, (int) (to - from)));
            } else {
                from = positions[i];
                to = from + length;
                merged.add(FileRange.createFileRange(from, length));
            }
            rangeOf[i] = merged.size() - 1;
        }
        if (merged.isEmpty()) {
            return;
        }
        stream.readVectored(merged, ByteBuffer::allocate);
        ByteBuffer[] read = new ByteBuffer[merged.size()];
        for (int r = 0; r < read.length; r++) {
            read[r] = FutureIO.awaitFuture(merged.get(r).getData());
        }
        int into = 0;
        for (int i = 0; i < positions.length; i++) {
            if (rangeOf[i] >= 0) {
                long start = merged.get(rangeOf[i]).getOffset();
                ByteBuffer range = read[rangeOf[i]];
                range.get(range.position() + (int) (positions[i] - start), target, into, lengths[i]);
                into += lengths[i];
            }
        }
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
