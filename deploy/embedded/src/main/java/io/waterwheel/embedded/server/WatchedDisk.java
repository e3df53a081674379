package io.waterwheel.embedded.server;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The disk of a folder, under a watch. Thread-safe. */
record WatchedDisk(Path folder, DiskWatch watch) implements EmbeddedKafka.Disk {
    /** What a broker fails with may come this much later than the disk was full. */
    private static final long SHORTLY_NANOS = TimeUnit.SECONDS.toNanos(10);

    @Override
    public boolean endsAlone() {
        // What fills a disk may be gone once Kafka says that it could not write.
        return watch.wasFullSince(System.nanoTime() - SHORTLY_NANOS) || !LastWord.writable(folder);
    }

    @Override
    public boolean wasFullSince(long nanos) {
        return watch.wasFullSince(nanos);
    }

    @Override
    public boolean isWritable() {
        return unwritable().isEmpty();
    }

    /** Why what ended, because it could not write, may not be started; empty when it may. */
    String unwritable() {
        String trouble = watch.trouble();
        // The rest is told beside it.
        return trouble.isEmpty() ? LastWord.unwritable(folder) : trouble.substring(0, trouble.indexOf(':'));
    }
}
