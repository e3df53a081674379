package io.waterwheel.query.memory;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The disk that queries of a process may take, together, for what does not fit into their memory. A file loses its name
 * as soon as it is open, so that nothing stays of it however the process ends. Thread-safe.
 */
public final class SpillDisk {
    private static final Logger LOG = LoggerFactory.getLogger(SpillDisk.class);
    private static final String PREFIX = "waterwheel-spill-";
    /** Files of a query at a time: while runs are merged, those that are read and those that are written. */
    private static final int FILES = 2;

    private final Path folder;
    private final FileStore device;
    private final long most;
    private final long leaveFree;
    private final AtomicLong held = new AtomicLong();

    private SpillDisk(Path folder, FileStore device, long most, long leaveFree) {
        this.folder = folder;
        this.device = device;
        this.most = most;
        this.leaveFree = leaveFree;
    }

    /**
     * The disk of a folder that others write to as well, down to a reserve: twice the reserve stays free, but no more
     * than a fifth of the disk.
     *
     * @param folder that exists
     * @param most bytes of all queries
     * @throws WaterwheelException of code {@code SPILL_FAILED} when the folder cannot be used
     */
    public static SpillDisk beside(Path folder, long most, long reserve) {
        try {
            return of(
                    folder,
                    most,
                    Math.min(2 * reserve, Files.getFileStore(folder).getTotalSpace() / 5));
        } catch (IOException e) {
            throw failed(folder, e);
        }
    }

    /**
     * The disk of a folder. Removes files that are left there.
     *
     * @param folder that exists
     * @param most bytes of all queries
     * @param leaveFree bytes of the device that stay free for others
     * @throws WaterwheelException of code {@code SPILL_FAILED} when the folder cannot be used
     */
    public static SpillDisk of(Path folder, long most, long leaveFree) {
        try {
            SpillDisk disk = new SpillDisk(folder, Files.getFileStore(folder), most, leaveFree);
            disk.removeLeftovers();
            return disk;
        } catch (IOException e) {
            throw failed(folder, e);
        }
    }

    /** Files lose their names as they are opened: these are of systems that cannot do that, or of other releases. */
    private void removeLeftovers() throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, PREFIX + "*")) {
            for (Path file : left) {
                try {
                    Files.deleteIfExists(file);
                } catch (IOException e) {
                    LOG.info("{} stays: {}", file, e.toString());
                }
            }
        }
    }

    /**
     * A new file, empty.
     *
     * @throws WaterwheelException of code {@code SPILL_FAILED}
     */
    public SpillFile create() {
        try {
            // Loses its name in the same call; until then this user alone can read it.
            return new SpillFile(
                    this,
                    FileChannel.open(
                            folder.resolve(PREFIX + UUID.randomUUID()),
                            Set.of(
                                    StandardOpenOption.CREATE_NEW,
                                    StandardOpenOption.READ,
                                    StandardOpenOption.WRITE,
                                    StandardOpenOption.DELETE_ON_CLOSE),
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Bytes that queries hold on it now. */
    public long held() {
        return held.get();
    }

    /**
     * Takes bytes that are about to be written.
     *
     * @param inFile bytes of the same file that are taken already
     * @throws WaterwheelException of code {@code SPILL_FULL} when that is more than one query may have, or than the
     *     device has; of code {@code SPILL_BUSY} when other queries hold them
     */
    void take(long bytes, long inFile) {
        if (bytes > most / FILES - inFile) {
            throw none(
                    ErrorCode.SPILL_FULL,
                    "one query may take " + mebibytes(most / FILES) + " of " + folder,
                    "give queries more (query.spill)");
        }
        while (true) {
            long now = held.get();
            if (bytes > most - now) {
                throw none(
                        ErrorCode.SPILL_BUSY,
                        "all queries of a process may take " + mebibytes(most) + " of " + folder + ", and hold "
                                + mebibytes(now) + " now",
                        "ask again later");
            }
            if (held.compareAndSet(now, now + bytes)) {
                break;
            }
        }
        try {
            if (device.getUsableSpace() - bytes < leaveFree) {
                giveBack(bytes);
                throw full();
            }
        } catch (IOException e) {
            giveBack(bytes);
            throw failed(e);
        }
    }

    private WaterwheelException full() {
        return none(
                ErrorCode.SPILL_FULL,
                "the disk of " + folder + " is full: " + mebibytes(leaveFree) + " of it stay free (twice disk.reserve)",
                "make room there");
    }

    private static WaterwheelException none(ErrorCode code, String why, String otherwise) {
        return new WaterwheelException(
                code,
                "query: its groups do not fit into memory, and need more disk than is left: " + why
                        + ". Group by less, narrow the query, or " + otherwise);
    }

    void giveBack(long bytes) {
        held.addAndGet(-bytes);
    }

    /** Why a file of it could not be written or read. */
    WaterwheelException failed(IOException why) {
        return failed(folder, why);
    }

    /** Why a file of it could not be written, which a full disk is a reason for. */
    WaterwheelException notWritten(IOException why, long bytes) {
        try {
            return device.getUsableSpace() - bytes < leaveFree ? full() : failed(why);
        } catch (IOException e) {
            why.addSuppressed(e);
            return failed(why);
        }
    }

    private static WaterwheelException failed(Path folder, IOException why) {
        if (why instanceof ClosedByInterruptException) {
            return new WaterwheelException(
                    ErrorCode.ANSWER_CUT_OFF, "the server ends what it was doing for this answer; ask again", why);
        }
        return new WaterwheelException(
                ErrorCode.SPILL_FAILED,
                "query: what does not fit into memory goes to files in " + folder + ", and that failed: " + why,
                why);
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20));
    }
}
