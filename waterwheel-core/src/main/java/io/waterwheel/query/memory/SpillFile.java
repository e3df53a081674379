package io.waterwheel.query.memory;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file for what a query cannot hold in memory: bytes are added at its end and read anywhere. One thread. */
public final class SpillFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpillFile.class);

    private final SpillDisk disk;
    private final FileChannel channel;
    private long taken;
    private long end;
    private boolean closed;

    SpillFile(SpillDisk disk, FileChannel channel) {
        this.disk = disk;
        this.channel = channel;
    }

    /** Bytes in it. */
    public long end() {
        return end;
    }

    /**
     * Adds the remaining bytes of a buffer.
     *
     * @throws io.waterwheel.error.WaterwheelException of code {@code SPILL_FULL}, {@code SPILL_BUSY} or
     *     {@code SPILL_FAILED}
     */
    public void append(ByteBuffer bytes) {
        if (closed) {
            throw new IllegalStateException("the file is closed");
        }
        int length = bytes.remaining();
        disk.take(length, taken);
        taken += length;
        try {
            while (bytes.hasRemaining()) {
                end += channel.write(bytes, end);
            }
        } catch (IOException e) {
            throw disk.notWritten(e, length);
        }
    }

    /**
     * Fills the rest of a buffer with the bytes from a place on.
     *
     * @throws io.waterwheel.error.WaterwheelException of code {@code SPILL_FAILED}, also when there are fewer
     */
    public void read(long from, ByteBuffer into) {
        long at = from;
        try {
            while (into.hasRemaining()) {
                int read = channel.read(into, at);
                if (read < 0) {
                    throw new EOFException("the file ends at " + at);
                }
                at += read;
            }
        } catch (IOException e) {
            throw disk.failed(e);
        }
    }

    /** Why what was read is not what was written. */
    public RuntimeException damaged(long at) {
        return disk.failed(new IOException("a block at " + at + " is not what was written there"));
    }

    /** Gives its disk back. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        disk.giveBack(taken);
        try {
            channel.close();
        } catch (IOException e) {
            LOG.warn("a file without a name could not be closed", e);
        }
    }
}
