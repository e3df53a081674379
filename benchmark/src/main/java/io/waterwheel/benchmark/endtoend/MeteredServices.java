package io.waterwheel.benchmark.endtoend;

import com.sun.management.ThreadMXBean;
import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.schema.text.KafkaFields;
import io.waterwheel.topology.Tasks;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.worker.ServicesFactory;
import io.waterwheel.topology.worker.WorkerServices;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The worker's own services, with two taps: the benchmark gets hold of them, and the bytes that reading from Kafka
 * allocates are counted. One worker a process.
 */
final class MeteredServices implements ServicesFactory {
    private static final long serialVersionUID = 1;

    private static final AtomicReference<@Nullable WorkerServices> OPENED = new AtomicReference<>();
    private static final AtomicLong KAFKA_BYTES = new AtomicLong();

    private final ServicesFactory own = Tasks.services();

    @Override
    public WorkerServices open(String worker, WaterwheelConfig config) {
        WorkerServices services = own.open(worker, config);
        OPENED.set(services);
        return (WorkerServices) Proxy.newProxyInstance(
                WorkerServices.class.getClassLoader(), new Class<?>[] {WorkerServices.class}, (proxy, method, args) -> {
                    try {
                        Object result = method.invoke(services, args);
                        return result instanceof LogSource source ? new MeteredSource(source) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public void closeLeft(String worker) {
        own.closeLeft(worker);
    }

    /** The services of the worker in this process; null before its first task has opened them. */
    static @Nullable WorkerServices opened() {
        return OPENED.get();
    }

    /** Bytes that Kafka's consumer has allocated in spout threads, so far. */
    static long kafkaBytes() {
        return KAFKA_BYTES.get();
    }

    /** Counts what a poll allocates, less what our own batches take. */
    private static final class MeteredSource implements LogSource {
        private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

        private final LogSource source;

        MeteredSource(LogSource source) {
            this.source = source;
        }

        @Override
        public List<PollEvent> poll(Duration atMost) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            List<PollEvent> news = source.poll(atMost);
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            long ours = 0;
            for (PollEvent piece : news) {
                if (piece instanceof PollEvent.Read read) {
                    ours += bytes(read.batch());
                }
            }
            KAFKA_BYTES.addAndGet(allocated - ours);
            return news;
        }

        /** Arrays of the batch, its own object, the news around it and the lists they come in. */
        private static long bytes(RecordBatch batch) {
            return 2 * 16 + 12L * batch.count() + 48 + 16 + 2 * 48;
        }

        @Override
        public void assign(int streamId, String topic, int partition, long from, long base, KafkaFields wanted) {
            source.assign(streamId, topic, partition, from, base, wanted);
        }

        @Override
        public void remove(int streamId, int partition) {
            source.remove(streamId, partition);
        }

        @Override
        public void seek(int streamId, int partition, long offset) {
            source.seek(streamId, partition, offset);
        }

        @Override
        public void pause(int streamId, int partition) {
            source.pause(streamId, partition);
        }

        @Override
        public void resume(int streamId, int partition) {
            source.resume(streamId, partition);
        }

        @Override
        public long position(int streamId, int partition) {
            return source.position(streamId, partition);
        }

        @Override
        public void close() {
            source.close();
        }
    }
}
