package io.waterwheel.sim;

import io.waterwheel.store.ChunkStore;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A chunk store in memory that fails as disks do: a temporary file half written, or whole and not renamed; a rename
 * that failed, or was done and not told; no room for a while; a read that breaks off.
 */
final class SimFiles implements ChunkStore {
    private final Random random;
    private final double faults;
    private final Map<String, byte[]> files = new TreeMap<>();
    private final Consumer<String> beforeDelete;
    private boolean calm;
    private int full;
    private int temporaries;

    /** @param beforeDelete called with each name that is about to go */
    SimFiles(Random random, double faults, Consumer<String> beforeDelete) {
        this.random = random;
        this.faults = faults;
        this.beforeDelete = beforeDelete;
    }

    void calm(boolean now) {
        calm = now;
        full = 0;
    }

    /** The next so many writes find no room. */
    void fill(int writes) {
        full = writes;
    }

    boolean holds(String name) {
        return files.containsKey(name);
    }

    List<String> names() {
        return List.copyOf(files.keySet());
    }

    private boolean fails() {
        return !calm && random.nextDouble() < faults;
    }

    @Override
    public void write(String name, List<ByteBuffer> content) throws IOException {
        int length = content.stream().mapToInt(ByteBuffer::remaining).sum();
        byte[] bytes = new byte[length];
        ByteBuffer target = ByteBuffer.wrap(bytes);
        content.forEach(buffer -> target.put(buffer.duplicate()));
        String temporary = name + "." + temporaries++ + TEMPORARY;
        if (full > 0) {
            full--;
            files.put(temporary, new byte[0]);
            throw new IOException("no space left on device (planted)");
        }
        if (fails()) {
            files.put(temporary, java.util.Arrays.copyOf(bytes, random.nextInt(length + 1)));
            throw new IOException("the device failed (planted)");
        }
        if (fails()) {
            files.put(temporary, bytes);
            throw new IOException("the rename failed (planted)");
        }
        if (files.containsKey(name)) {
            throw new FileAlreadyExistsException(name);
        }
        files.put(name, bytes);
        if (fails()) {
            throw new IOException("the rename's answer was lost (planted)");
        }
    }

    @Override
    public Input open(String name) throws IOException {
        byte[] bytes = files.get(name);
        if (bytes == null) {
            throw new NoSuchFileException(name);
        }
        if (fails()) {
            throw new IOException("cannot open (planted)");
        }
        return new SimInput(name, bytes);
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record SimInput(String name, byte[] bytes) implements Input {
        @Override
        public long size() {
            return bytes.length;
        }

        @Override
        public void read(long position, byte[] target, int offset, int length) throws IOException {
            if (position + length > bytes.length) {
                throw new EOFException(name);
            }
            System.arraycopy(bytes, (int) position, target, offset, length);
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
        public void close() {}
    }

    @Override
    public void forEach(String prefix, Consumer<StoredFile> visitor) throws IOException {
        if (fails()) {
            throw new IOException("cannot list (planted)");
        }
        files.forEach((name, bytes) -> visitor.accept(new StoredFile(name, bytes.length, 0)));
    }

    @Override
    public void delete(String name) throws IOException {
        beforeDelete.accept(name);
        if (fails()) {
            throw new IOException("cannot delete (planted)");
        }
        files.remove(name);
    }

    @Override
    public List<String> hosts(String name) {
        return List.of();
    }

    @Override
    public void close() {}
}
