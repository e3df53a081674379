package io.waterwheel.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A folder held for one user: against other processes by a lock on a file in it, against others in this process by a
 * list. The system drops a process's locks on a file when it closes any descriptor of it: so a caller that asks in vain
 * must not even open the file, if this process holds it. The list is of one class loader and of real paths: another
 * loader's hold, or one by another mount, is seen, but ends with the attempt. Thread-safe.
 */
public final class FolderLock implements AutoCloseable {
    private static final String FILE = "lock";
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final FileChannel channel;

    private FolderLock(Path folder, FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
    }

    /** The file in a folder that is locked. */
    public static Path file(Path folder) {
        return folder.resolve(FILE);
    }

    /** Whether this process holds the folder. */
    public static boolean isHeldHere(Path folder) throws IOException {
        return HELD.contains(folder.toRealPath());
    }

    /**
     * Takes a folder that is there; empty when somebody has it.
     *
     * @throws IOException when the file in it cannot be made or locked
     */
    public static Optional<FolderLock> tryTake(Path folder) throws IOException {
        Path real = folder.toRealPath();
        if (!HELD.add(real)) {
            return Optional.empty();
        }
        FileChannel channel = null;
        boolean taken = false;
        try {
            channel = FileChannel.open(file(real), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            taken = channel.tryLock() != null;
            return taken ? Optional.of(new FolderLock(real, channel)) : Optional.empty();
        } catch (OverlappingFileLockException e) {
            return Optional.empty();
        } finally {
            if (!taken) {
                if (channel != null) {
                    channel.close();
                }
                HELD.remove(real);
            }
        }
    }

    /** The locked file, to be written to. */
    public FileChannel channel() {
        return channel;
    }

    /** Lets go of the folder. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            channel.close();
            HELD.remove(folder);
        }
    }
}
