package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A folder that one server has to itself as long as it lives; the system gives it free when the process dies. */
final class DataFolder implements AutoCloseable {
    private final Path path;
    private final FileChannel channel;

    private DataFolder(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Makes the folder when absent and takes it.
     *
     * @throws IOException naming the process that has it
     */
    static DataFolder take(Path folder) throws IOException {
        Path path = folder.toAbsolutePath().normalize();
        Files.createDirectories(path);
        Path file = path.resolve("lock");
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            if (tryLock(channel) == null) {
                throw new IOException("data folder " + path + " is in use by process "
                        + Files.readString(file).strip() + "; stop it, or take another folder");
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(UTF_8)));
            return new DataFolder(path, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // another server of this very process
        }
    }

    Path resolve(String name) {
        return path.resolve(name);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
