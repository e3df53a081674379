package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;

/** A folder where a cluster is, was or will be, as one command after the other finds it. */
final class ClusterFolder {
    private final Path folder;

    ClusterFolder(Path folder) {
        this.folder = folder;
    }

    /** What was set up there last; nothing when nothing was. */
    Optional<ClusterLayout> layout() throws IOException {
        return Files.exists(folder.resolve(ClusterLayout.FILE))
                ? Optional.of(ClusterLayout.read(folder))
                : Optional.empty();
    }

    /** Its daemons, which outlive this process. */
    Daemons daemons(ClusterLayout layout, Daemons.Answers answers) throws IOException {
        return new Daemons(layout, new ClusterFiles(folder, layout), true, Map.of(), answers);
    }

    /**
     * Keeps other commands from changing the cluster until it is closed, or this process ends.
     *
     * @throws IOException when another is at it; says which process
     */
    AutoCloseable lock() throws IOException {
        Path file = Files.createDirectories(folder.resolve("run")).resolve(".lock");
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock(Long.MAX_VALUE - 1, 1, false);
        if (lock == null) {
            channel.close();
            throw new IOException("process " + Files.readString(file).strip() + " is changing the cluster in " + folder
                    + " just now; wait for it, or end it");
        }
        channel.truncate(0);
        channel.write(StandardCharsets.UTF_8.encode(ProcessHandle.current().pid() + "\n"));
        return channel;
    }
}
