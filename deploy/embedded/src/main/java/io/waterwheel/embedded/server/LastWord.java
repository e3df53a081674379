package io.waterwheel.embedded.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says why, before Kafka ends the process: where it cannot write its folder it halts the virtual machine it runs in,
 * and so everything of the server. Without this the process is gone between two lines of its log.
 */
final class LastWord {
    private static final Logger LOG = LoggerFactory.getLogger(LastWord.class);

    /** Less than this is no room: file systems keep some blocks. */
    private static final long NO_ROOM_BYTES = 1 << 20;

    private static final int PROBE_BYTES = 4 << 10;

    private LastWord() {}

    /** Says it, on standard error too: the disk of the log may be the full one. */
    @SuppressWarnings("SystemOut") // no logger is left to say it
    static void say(Path folder, int status, @Nullable String message) {
        String words = words(folder, free(folder), status, message);
        System.err.println(words);
        System.err.flush();
        LOG.error("{}", words);
    }

    /** Whether a folder can be written, found out by writing: of a disk that failed the system may say that it can. */
    static boolean writable(Path folder) {
        if (free(folder) < NO_ROOM_BYTES) {
            return false;
        }
        try {
            Path probe = Files.createTempFile(folder, "writable-", ".tmp");
            try {
                Files.write(probe, new byte[PROBE_BYTES]);
            } finally {
                Files.delete(probe);
            }
            return true;
        } catch (IOException e) {
            LOG.debug("{} cannot be written", folder, e);
            return false;
        }
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
        String again = "then start the server again on its folder: it goes on where it stood";
        if (freeBytes < NO_ROOM_BYTES) {
            return String.format(
                    Locale.ROOT,
                    "the server ends: others have filled the disk of %s to its last bytes (%d KiB free), and Kafka, which"
                            + " must write there, ends the process. Make room, %s",
                    folder,
                    freeBytes >> 10,
                    again);
        }
        return "the server ends: Kafka cannot use " + folder + " and ends the process (status " + status
                + (message == null ? "" : ", " + message)
                + "). The lines of the log before this one say why. Mend that, "
                + again;
    }
}
