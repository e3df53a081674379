package io.waterwheel.embedded.server;

import io.waterwheel.error.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says why, before Kafka ends the process: a broker that does not end alone ({@link KafkaLife}) halts the virtual
 * machine it runs in, and so everything of the server. Without this the process is gone between two lines of its log.
 */
final class LastWord {
    private static final Logger LOG = LoggerFactory.getLogger(LastWord.class);

    /** Less than this is no room: file systems keep some blocks. */
    static final long NO_ROOM_BYTES = 1 << 20;

    /** What systems say also where the disk has no more place for files, however small. */
    private static final String NO_SPACE = "No space left";

    private static final int PROBE_BYTES = 4 << 10;

    /** The same each time: of a process that is killed meanwhile, one file stays behind at most. */
    private static final String PROBE = "writable.tmp";

    private LastWord() {}

    /**
     * Says it, on standard error too: the disk of the log may be the full one.
     *
     * @param folder of the broker; null where it is not known
     */
    @SuppressWarnings("SystemOut") // no logger is left to say it
    static void say(@Nullable Path folder, int status, @Nullable String message) {
        String words = folder == null
                ? "the server ends: Kafka ends the process (" + how(status, message)
                        + "). The lines of the log before this one say why"
                : words(folder, free(folder), status, message);
        System.err.println(words);
        System.err.flush();
        LOG.error("{}", words);
    }

    /**
     * Why a folder cannot be written, for people: the code of the error, and what the system says; empty when it can.
     * Found out by writing to the device: of a disk that failed the system may say that it can be written, and take
     * what it keeps in memory.
     */
    static String unwritable(Path folder) {
        long free = free(folder);
        if (free < NO_ROOM_BYTES) {
            return ErrorCode.DISK_FULL + ": the disk of " + folder + " has " + (free >> 10) + " KiB free; make room";
        }
        try {
            Path probe = folder.resolve(PROBE);
            try (FileChannel out = FileChannel.open(
                    probe, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
                ByteBuffer some = ByteBuffer.allocate(PROBE_BYTES);
                while (some.hasRemaining()) {
                    out.write(some);
                }
                out.force(true);
            } finally {
                Files.deleteIfExists(probe);
            }
            return "";
        } catch (IOException e) {
            LOG.debug("{} cannot be written", folder, e);
            String said = e instanceof FileSystemException file && file.getReason() != null
                    ? file.getReason()
                    : String.valueOf(e.getMessage());
            return said.contains(NO_SPACE)
                    ? ErrorCode.DISK_FULL + ": the disk of " + folder + " takes no more files (" + said
                            + "); remove some"
                    : ErrorCode.DISK_READ_ONLY + ": " + folder + " cannot be written (" + said
                            + "); mend the disk, or mount it for writing";
        }
    }

    /** Whether a folder can be written, as {@link #unwritable} finds out. */
    static boolean writable(Path folder) {
        return unwritable(folder).isEmpty();
    }

    private static long free(Path folder) {
        try {
            return Files.getFileStore(folder).getUsableSpace();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    /** @param freeBytes of the folder's disk; {@link Long#MAX_VALUE} when it is not known */
    static String words(Path folder, long freeBytes, int status, @Nullable String message) {
        return "the server ends: " + reason(folder, freeBytes, status, message)
                + ", then start the server again on its folder: it goes on where it stood";
    }

    /** Why a broker wanted to end the process, and what is to be done, without a full stop. */
    static String reason(Path folder, int status, @Nullable String message) {
        return reason(folder, free(folder), status, message);
    }

    private static String reason(Path folder, long freeBytes, int status, @Nullable String message) {
        if (freeBytes < NO_ROOM_BYTES) {
            return String.format(
                    Locale.ROOT,
                    "others have filled the disk of %s to its last bytes (%d KiB free), and Kafka, which must write there,"
                            + " ends (%s). Make room",
                    folder,
                    freeBytes >> 10,
                    how(status, message));
        }
        return "Kafka cannot use " + folder + " and ends (" + how(status, message)
                + "). The lines of the log before this one say why. Mend that";
    }

    private static String how(int status, @Nullable String message) {
        return "status " + status + (message == null ? "" : ", " + message);
    }
}
