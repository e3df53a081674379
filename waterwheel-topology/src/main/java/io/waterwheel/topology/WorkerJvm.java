package io.waterwheel.topology;

import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.wiring.WorkerMemory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The JVM options that workers need: Arrow does not start without some, the heap follows from the configuration,
 * priorities of threads count, and the heap has large pages.
 */
final class WorkerJvm {
    private WorkerJvm() {}

    /**
     * Options for {@code topology.worker.childopts}.
     *
     * @param given what the configuration's storm section says, a string or a list, or null; comes last and wins
     */
    static List<String> options(WaterwheelConfig config, @Nullable Object given) {
        List<String> options = new ArrayList<>();
        options.add("-Xmx" + (WorkerMemory.heapBytes(config) >> 20) + "m");
        // A worker that is out of memory has lost something, and does not know what: it starts again.
        options.add("-XX:+ExitOnOutOfMemoryError");
        // Arrow reaches into java.nio for its direct buffers.
        options.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
        // Threads that answer queries run below those that take tuples in, as in the server of one process.
        options.add("-XX:ThreadPriorityPolicy=1");
        if (System.getProperty("os.name").equals("Linux")) {
            // Other systems do not know it, and a JVM does not start with what it does not know; workers run on systems
            // like the one that submits them.
            options.add("-XX:+UseTransparentHugePages");
        }
        // netty reads its properties under the name of its package: as it is, and as it is in the topology jar.
        options.add("-Dio.netty.tryReflectionSetAccessible=true");
        options.add("-Dio.waterwheel.shaded.io.netty.tryReflectionSetAccessible=true");
        if (Runtime.version().feature() >= 23) {
            // Newer JDKs announce that these will be refused; netty, Hadoop and protobuf use both.
            options.add("--enable-native-access=ALL-UNNAMED");
            options.add("--sun-misc-unsafe-memory-access=allow");
        }
        if (given instanceof List<?> list) {
            list.forEach(option -> options.add(String.valueOf(option)));
        } else if (given != null) {
            options.add(String.valueOf(given));
        }
        return options;
    }
}
