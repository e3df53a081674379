package io.waterwheel.benchmark.endtoend;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What the threads of the way in have used so far: CPU and bytes allocated, by group, and the whole process beside it.
 * A group is known by the names of its threads; those that ended meanwhile are not counted.
 */
final class WayInMeter {
    private static final Map<String, Pattern> GROUPS = new TreeMap<>(Map.of(
            "1 spout executor", Pattern.compile(".*-spout-executor.*"),
            "2 dispatcher executor", Pattern.compile(".*-dispatcher-executor.*"),
            "3 dispatcher loop", Pattern.compile("dispatcher-\\d+"),
            "4 indexer executor", Pattern.compile(".*-indexer-executor.*"),
            "5 indexer loop", Pattern.compile("indexer-\\d+"),
            "6 flusher", Pattern.compile("indexer-\\d+-flusher-\\d+")));
    private static final String OTHERS = "7 other Java threads";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private WayInMeter() {}

    record Usage(long cpuNanos, long allocatedBytes) {
        Usage plus(Usage other) {
            return new Usage(cpuNanos + other.cpuNanos, allocatedBytes + other.allocatedBytes);
        }

        Usage minus(Usage other) {
            return new Usage(cpuNanos - other.cpuNanos, allocatedBytes - other.allocatedBytes);
        }
    }

    /**
     * A moment.
     *
     * @param kafkaBytes of the spout's bytes, those allocated by Kafka's consumer
     */
    record Reading(
            long nanos, Map<String, Usage> groups, long processCpuNanos, long gcMillis, long gcs, long kafkaBytes) {}

    static Reading read() {
        Map<String, Usage> groups = new TreeMap<>();
        GROUPS.keySet().forEach(group -> groups.put(group, new Usage(0, 0)));
        groups.put(OTHERS, new Usage(0, 0));
        long[] ids = THREADS.getAllThreadIds();
        ThreadInfo[] infos = THREADS.getThreadInfo(ids);
        long[] allocated = THREADS.getThreadAllocatedBytes(ids);
        long[] cpu = THREADS.getThreadCpuTime(ids);
        for (int i = 0; i < ids.length; i++) {
            if (infos[i] != null && cpu[i] >= 0 && allocated[i] >= 0) {
                groups.merge(group(infos[i].getThreadName()), new Usage(cpu[i], allocated[i]), Usage::plus);
            }
        }
        long gcMillis = 0;
        long gcs = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            gcMillis += collector.getCollectionTime();
            gcs += collector.getCollectionCount();
        }
        return new Reading(
                System.nanoTime(), groups, SYSTEM.getProcessCpuTime(), gcMillis, gcs, MeteredServices.kafkaBytes());
    }

    private static String group(String thread) {
        for (Map.Entry<String, Pattern> group : GROUPS.entrySet()) {
            if (group.getValue().matcher(thread).matches()) {
                return group.getKey();
            }
        }
        return OTHERS;
    }

    /** Prints what was used between two readings, per tuple. */
    static void print(String label, Reading from, Reading to, long tuples) {
        double million = tuples / 1e6;
        double seconds = (to.nanos() - from.nanos()) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "%s: %.2f M tuples in %.2f s: %.3f M tuples/s; server CPU %.3f s/M tuples; GC %d times, %d ms%n",
                label,
                million,
                seconds,
                million / seconds,
                (to.processCpuNanos() - from.processCpuNanos()) / 1e9 / million,
                to.gcs() - from.gcs(),
                to.gcMillis() - from.gcMillis());
        long kafka = to.kafkaBytes() - from.kafkaBytes();
        long javaCpu = 0;
        double ours = 0;
        for (Map.Entry<String, Usage> group : to.groups().entrySet()) {
            Usage used = group.getValue().minus(from.groups().getOrDefault(group.getKey(), new Usage(0, 0)));
            javaCpu += used.cpuNanos();
            long bytes = used.allocatedBytes() - (group.getKey().startsWith("1") ? kafka : 0);
            if (!group.getKey().equals(OTHERS)) {
                ours += bytes;
            }
            System.out.printf(
                    Locale.ROOT,
                    "  %-24s CPU %.3f s/M   allocated %.3f B/tuple%n",
                    group.getKey(),
                    used.cpuNanos() / 1e9 / million,
                    bytes / (double) tuples);
        }
        System.out.printf(
                Locale.ROOT,
                "  %-24s CPU %.3f s/M%n",
                "8 JVM (GC, compiler)",
                (to.processCpuNanos() - from.processCpuNanos() - javaCpu) / 1e9 / million);
        System.out.printf(
                Locale.ROOT,
                "  way in (groups 1-6) without Kafka's client: %.3f B/tuple; Kafka's client in the spout: %.2f B/tuple%n",
                ours / tuples,
                kafka / (double) tuples);
    }
}
