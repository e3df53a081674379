package io.waterwheel.embedded;

import java.util.Arrays;

/**
 * What a server in a process of its own holds at one moment.
 *
 * @param heapBytes of objects that are in use; garbage was collected
 * @param threads less those of pools that wait for work: they end by themselves, a minute later
 */
public record ServerLoad(long heapBytes, long threads) {
    static ServerLoad of(CommandProcess server) throws Exception {
        return of(server.pid());
    }

    /** Of a process by its number. */
    public static ServerLoad of(long pid) throws Exception {
        // The collection is the histogram's own.
        String total = CommandProcess.jcmd(pid, "GC.class_histogram")
                .lines()
                .filter(line -> line.startsWith("Total "))
                .findFirst()
                .orElseThrow();
        long threads = Arrays.stream(CommandProcess.jcmd(pid, "Thread.print").split("\n\n", -1))
                .filter(thread -> thread.startsWith("\"") && !thread.contains("ThreadPoolExecutor.getTask("))
                .count();
        return new ServerLoad(Long.parseLong(total.strip().split(" +", -1)[2]), threads);
    }

    @Override
    public String toString() {
        return heapBytes / (1 << 20) + " MB of heap, " + threads + " threads";
    }
}
