package io.waterwheel.embedded.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.kafka.common.utils.Exit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says why, before Kafka ends the process: where it cannot write its folder it halts the virtual machine it runs in,
 * and so everything of the server. Without this the process is gone between two lines of its log.
 */
public final class LastWord {
    private static final Logger LOG = LoggerFactory.getLogger(LastWord.class);

    /** Less than this is no room: file systems keep some blocks. */
    private static final long NO_ROOM_BYTES = 1 << 20;

    private LastWord() {}

    /**
     * From now on Kafka's end of this process is told of, on standard error too: the disk of the log may be the full
     * one.
     *
     * @param folder of the broker
     */
    @SuppressWarnings("SystemOut") // no logger is left to say it
    public static void beforeKafkaEnds(Path folder) {
        Exit.setHaltProcedure((status, message) -> {
            try {
                String words = words(folder, free(folder), status, message);
                System.err.println(words);
                System.err.flush();
                LOG.error("{}", words);
            } finally {
                Runtime.getRuntime().halt(status);
            }
        });
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
