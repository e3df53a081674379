package io.waterwheel.topology.wiring;

import io.waterwheel.metrics.ChunkMetrics;
import io.waterwheel.metrics.Counter;
import io.waterwheel.metrics.Histogram;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.WatchedInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** A chunk store whose calls are timed: those on the way of data, not those that look through it. Thread-safe. */
final class MeteredChunkStore implements ChunkStore {
    /** A call, which moves bytes or none. */
    private interface Call<T> {
        T run() throws IOException;
    }

    /** What is known of one kind of call. */
    private static final class Calls {
        private final Histogram seconds;
        private final Counter bytes;
        private final Counter failures;

        Calls(Metrics metrics, String operation) {
            this.seconds = metrics.histogram(ChunkMetrics.STORE, operation);
            this.bytes = metrics.counter(ChunkMetrics.STORE_BYTES, operation);
            this.failures = metrics.counter(ChunkMetrics.STORE_FAILURES, operation);
        }

        <T> T time(long moved, Call<T> call) throws IOException {
            long begin = System.nanoTime();
            try {
                T result = call.run();
                seconds.since(begin);
                bytes.add(moved);
                return result;
            } catch (IOException | RuntimeException e) {
                failures.increment();
                throw e;
            }
        }
    }

    private final ChunkStore store;
    private final Calls writes;
    private final Calls opens;
    private final Calls reads;

    MeteredChunkStore(ChunkStore store, Metrics metrics) {
        this.store = store;
        this.writes = new Calls(metrics, "write");
        this.opens = new Calls(metrics, "open");
        this.reads = new Calls(metrics, "read");
    }

    @Override
    public void write(String name, List<ByteBuffer> content) throws IOException {
        long bytes = 0;
        for (ByteBuffer part : content) {
            bytes += part.remaining();
        }
        boolean unused = writes.time(bytes, () -> {
            store.write(name, content);
            return true;
        });
    }

    @Override
    public Input open(String name) throws IOException {
        return new WatchedInput(opens.time(0, () -> store.open(name)), (bytes, read) -> {
            boolean unused = reads.time(bytes, () -> {
                read.run();
                return true;
            });
        });
    }

    @Override
    public List<StoredFile> list(String prefix) throws IOException {
        return store.list(prefix);
    }

    @Override
    public void forEach(String prefix, Consumer<StoredFile> visitor) throws IOException {
        store.forEach(prefix, visitor);
    }

    @Override
    public void delete(String name) throws IOException {
        store.delete(name);
    }

    @Override
    public List<String> hosts(String name) throws IOException {
        return store.hosts(name);
    }

    @Override
    public String trouble() {
        return store.trouble();
    }

    @Override
    public void close() throws IOException {
        store.close();
    }
}
