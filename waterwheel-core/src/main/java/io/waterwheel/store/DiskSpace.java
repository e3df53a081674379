package io.waterwheel.store;

import io.waterwheel.error.ErrorCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The room on the disk of a folder, of which a reserve is kept: what fills a disk to its last byte stops all others on
 * it too, and among them may be those who could make room. Thread-safe; asks the system each time.
 */
public final class DiskSpace {
    private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);

    /** Of a small disk, the reserve is one part in this number. */
    private static final int LARGEST_SHARE = 10;

    /** What the system says of a folder. */
    public interface Gauge {
        /** Bytes that this process may still write to its disk. */
        long freeBytes() throws IOException;

        /** Bytes of the whole disk. */
        long totalBytes() throws IOException;

        /** Whether files can be made there. */
        boolean isWritable() throws IOException;
    }

    /** A disk, or a folder on it, that cannot be written now. */
    public static final class NoRoomException extends IOException {
        private static final long serialVersionUID = 1;

        NoRoomException(String message) {
            super(message);
        }
    }

    private final Path folder;
    private final long reserveBytes;
    private final Gauge gauge;

    /** @param reserveBytes that are kept free, but no more than a tenth of the disk; 0 for none */
    public DiskSpace(Path folder, long reserveBytes) {
        this(folder, reserveBytes, system(folder));
    }

    /** The same, of a disk that says by itself how it is. */
    public DiskSpace(Path folder, long reserveBytes, Gauge gauge) {
        this.folder = folder;
        this.reserveBytes = reserveBytes;
        this.gauge = gauge;
    }

    private static Gauge system(Path folder) {
        return new Gauge() {
            /** The folder, or what is there of the way to it: who writes makes the rest. */
            private Path there() {
                Path at = folder.toAbsolutePath();
                while (!Files.exists(at) && at.getParent() != null) {
                    at = at.getParent();
                }
                return at;
            }

            // Asked several times a second: a FileStore reads the table of all mounts, a File makes one call.

            @Override
            public long freeBytes() throws IOException {
                File file = there().toFile();
                long free = file.getUsableSpace();
                if (free <= 0) {
                    // Full, or what is said where a disk does not tell, or the call failed.
                    requireSized(file);
                }
                return free;
            }

            @Override
            public long totalBytes() throws IOException {
                File file = there().toFile();
                requireSized(file);
                return file.getTotalSpace();
            }

            private static void requireSized(File file) throws IOException {
                if (file.getTotalSpace() <= 0) {
                    throw new IOException("the disk of " + file + " does not say how large it is");
                }
            }

            @Override
            public boolean isWritable() {
                return Files.isWritable(there());
            }
        };
    }

    /**
     * Why this number of bytes should not be written now, for people: what, where, how much is free, what to do. Empty
     * when they may.
     */
    public String trouble(long bytes) {
        if (reserveBytes == 0) {
            // None is kept: the disk itself says when it is full.
            return "";
        }
        try {
            if (!gauge.isWritable()) {
                return ErrorCode.DISK_READ_ONLY + ": " + folder
                        + " cannot be written: it, or its disk, is read-only; it goes on by" + " itself once it can be";
            }
            long free = gauge.freeBytes();
            long kept = Math.min(reserveBytes, gauge.totalBytes() / LARGEST_SHARE);
            if (free - bytes >= kept) {
                return "";
            }
            return ErrorCode.DISK_FULL + ": the disk of " + folder + " has " + mebibytes(free) + " free" + needed(bytes)
                    + ", and "
                    + mebibytes(kept)
                    + " are kept (disk.reserve); make room, by other files or a shorter retention of the stream or the"
                    + " topic, and it goes on by itself";
        } catch (IOException e) {
            // Some mounts do not say how full they are. What is written then says whether there was room.
            LOG.debug("how full the disk of {} is cannot be found out", folder, e);
            return "";
        }
    }

    /**
     * Whether nothing can be written, whatever is kept: less than this number of bytes is free, or the folder is
     * read-only. False where that cannot be found out.
     */
    public boolean isFull(long leastBytes) {
        try {
            return !gauge.isWritable() || gauge.freeBytes() < leastBytes;
        } catch (IOException e) {
            LOG.debug("how full the disk of {} is cannot be found out", folder, e);
            return false;
        }
    }

    private static String needed(long bytes) {
        return bytes == 0 ? "" : ", " + mebibytes(bytes) + " are to be written";
    }

    /** Bytes that may be written until {@link #trouble}; 0 where that cannot be found out. */
    public long roomBytes() {
        try {
            return reserveBytes == 0 ? 0 : Math.max(0, gauge.freeBytes() - keptBytes());
        } catch (IOException e) {
            LOG.debug("how full the disk of {} is cannot be found out", folder, e);
            return 0;
        }
    }

    /** Bytes that are kept free now. */
    public long keptBytes() throws IOException {
        return Math.min(reserveBytes, gauge.totalBytes() / LARGEST_SHARE);
    }

    /**
     * Lets this number of bytes be written.
     *
     * @throws NoRoomException saying as {@link #trouble} does why not
     */
    public void check(long bytes) throws NoRoomException {
        String trouble = trouble(bytes);
        if (!trouble.isEmpty()) {
            throw new NoRoomException(trouble);
        }
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20));
    }
}
