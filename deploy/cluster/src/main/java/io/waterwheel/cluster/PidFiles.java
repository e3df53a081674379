package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * Which process is which daemon: a file each, {@code PID START}. The start tells the daemon from a stranger who got its
 * number later. Owner: one thread at a time.
 */
final class PidFiles {
    /**
     * A process.
     *
     * @param started as {@link Processes#started} says; {@link Processes#GONE} when it had died before it was noted
     */
    record Entry(long pid, long started) {
        boolean isAlive() {
            return started != Processes.GONE && Processes.started(pid) == started;
        }
    }

    private final Path folder;

    PidFiles(Path clusterFolder) throws IOException {
        folder = Files.createDirectories(clusterFolder.resolve("run"));
    }

    /** Notes a process that was just started. */
    Entry record(String name, long pid) throws IOException {
        Entry entry = new Entry(pid, Processes.started(pid));
        Path unfinished = folder.resolve("." + name + ".new");
        Files.writeString(unfinished, entry.pid() + " " + entry.started() + "\n");
        Files.move(
                unfinished, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return entry;
    }

    /** What was noted last, dead or alive; nothing when nothing was, or the file is damaged. */
    Optional<Entry> read(String name) {
        try {
            String[] words = Files.readString(folder.resolve(name)).strip().split(" ", -1);
            return words.length == 2
                    ? Optional.of(new Entry(Long.parseLong(words[0]), Long.parseLong(words[1])))
                    : Optional.empty();
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    void forget(String name) {
        try {
            Files.deleteIfExists(folder.resolve(name));
        } catch (IOException e) {
            // It names a process that is gone, which its start tells.
        }
    }
}
