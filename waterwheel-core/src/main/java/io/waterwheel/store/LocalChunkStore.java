package io.waterwheel.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Chunks in a folder of this machine. A file is written under a temporary name that ends in {@code .tmp}, forced to the
 * device, and linked to its name, which fails when the name is taken; then the folder is forced. Thread-safe.
 */
public final class LocalChunkStore implements ChunkStore {
    /** The JDK copies through direct memory of the size of a transfer, and keeps it: so reads and writes are slices. */
    private static final int SLICE_BYTES = 256 * 1024;

    private final Path folder;
    private final DiskSpace space;

    /** @param folder made when it is absent */
    public LocalChunkStore(Path folder) throws IOException {
        this(folder, 0);
    }

    /**
     * The same, on a disk that is not filled to its end.
     *
     * @param reserveBytes that stay free, see {@link DiskSpace}; 0 for none: then writing ends where the disk does
     */
    public LocalChunkStore(Path folder, long reserveBytes) throws IOException {
        this(folder, new DiskSpace(folder.toAbsolutePath().normalize(), reserveBytes));
    }

    /** The same, on a disk that says by itself how it is. */
    LocalChunkStore(Path folder, DiskSpace space) throws IOException {
        this.folder = Files.createDirectories(folder.toAbsolutePath().normalize());
        this.space = space;
    }

    private Path path(String name) {
        Path path = folder.resolve(name).normalize();
        if (name.isEmpty() || !path.startsWith(folder) || path.equals(folder)) {
            throw new IllegalArgumentException("chunk store: '" + name + "' is no name below " + folder);
        }
        return path;
    }

    @Override
    public void write(String name, List<ByteBuffer> content) throws IOException {
        Path target = path(name);
        Path parent = parent(target);
        long bytes = 0;
        for (ByteBuffer buffer : content) {
            bytes += buffer.remaining();
        }
        space.check(bytes);
        makeFolders(parent);
        Path temporary = parent.resolve(target.getFileName() + "." + UUID.randomUUID() + TEMPORARY);
        try {
            try (FileChannel channel =
                    FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                for (ByteBuffer buffer : content) {
                    writeSlices(channel, buffer.duplicate());
                }
                channel.force(true);
            }
            publish(temporary, target);
        } catch (FileAlreadyExistsException e) {
            // The caller may go on with the file that is there: its name must be as durable as a new one's.
            force(parent);
            throw e;
        } finally {
            Files.deleteIfExists(temporary);
        }
        force(parent);
    }

    private static void writeSlices(FileChannel channel, ByteBuffer buffer) throws IOException {
        int end = buffer.limit();
        while (buffer.position() < end) {
            buffer.limit(Math.min(end, buffer.position() + SLICE_BYTES));
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }
    }

    /** Gives the file its name. A rename would replace a file of that name without a word; a link does not. */
    private static void publish(Path temporary, Path target) throws IOException {
        try {
            Files.createLink(target, temporary);
        } catch (UnsupportedOperationException e) {
            // A file system without links: names are never used twice, so the check is a safeguard only.
            if (Files.exists(target)) {
                throw new FileAlreadyExistsException(target.toString());
            }
            Files.move(temporary, target);
        }
    }

    private void makeFolders(Path parent) throws IOException {
        if (!Files.isDirectory(parent)) {
            Files.createDirectories(parent);
            for (Path made = parent; !made.equals(folder); made = parent(made)) {
                force(parent(made));
            }
        }
    }

    private static Path parent(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalArgumentException("chunk store: '" + path + "' has no folder");
        }
        return parent;
    }

    /** Makes the folder's entries durable. */
    private static void force(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public Input open(String name) throws IOException {
        FileChannel channel = FileChannel.open(path(name), StandardOpenOption.READ);
        try {
            return new LocalInput(name, channel, channel.size());
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void forEach(String prefix, Consumer<StoredFile> visitor) throws IOException {
        Path start = prefix.isEmpty() ? folder : path(prefix);
        if (!Files.isDirectory(start)) {
            return;
        }
        Files.walkFileTree(start, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = folder.relativize(file).toString().replace('\\', '/');
                visitor.accept(new StoredFile(
                        name, attributes.size(), attributes.lastModifiedTime().toMillis()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE; // deleted or renamed while we list
                }
                throw e;
            }
        });
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(path(name));
    }

    @Override
    public List<String> hosts(String name) {
        return List.of();
    }

    @Override
    public String trouble() {
        return space.trouble(0);
    }

    @Override
    public void close() {}

    private record LocalInput(String name, FileChannel channel, long size) implements Input {
        @Override
        public void read(long position, byte[] target, int offset, int length) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(target, offset, length);
            long at = position;
            int end = buffer.limit();
            while (buffer.position() < end) {
                buffer.limit(Math.min(end, buffer.position() + SLICE_BYTES));
                int read = channel.read(buffer, at);
                if (read < 0) {
                    throw new EOFException("chunk " + name + ": end of file at " + at + ", expected "
                            + (end - buffer.position()) + " bytes more");
                }
                at += read;
            }
        }

        @Override
        public void readVectored(long[] positions, int[] lengths, byte[] target) throws IOException {
            int to = 0;
            for (int i = 0; i < positions.length; i++) {
                read(positions[i], target, to, lengths[i]);
                to += lengths[i];
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
