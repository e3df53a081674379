package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.OptionalLong;

/** Whether the machine has memory enough for a cluster. Stateless. */
final class Memory {
    /** A worker with the configuration that the cluster's folder has, and the small process above it. */
    static final long WORKER = 800L << 20;

    private static final Path MEMINFO = Path.of("/proc/meminfo");

    private Memory() {}

    /** Memory that processes could take now without others being driven out, in bytes; nothing if it is not known. */
    static OptionalLong available() {
        try {
            return available(Files.readString(MEMINFO));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    static OptionalLong available(String meminfo) {
        for (String line : meminfo.split("\n", -1)) {
            // MemAvailable:   20942208 kB
            String[] words = line.strip().split("\\s+", -1);
            if (words.length == 3 && words[0].equals("MemAvailable:") && words[2].equals("kB")) {
                return OptionalLong.of(Long.parseLong(words[1]) << 10);
            }
        }
        return OptionalLong.empty();
    }

    /** What these daemons hold some minutes after their start, as measured, in bytes. */
    static long needed(Collection<String> daemons) {
        return daemons.stream().mapToLong(Memory::needed).sum();
    }

    private static long needed(String daemon) {
        int hyphen = daemon.indexOf('-');
        return switch (hyphen < 0 ? daemon : daemon.substring(0, hyphen)) {
            case ClusterLayout.ZOOKEEPER -> 150L << 20;
            case ClusterLayout.KAFKA -> 500L << 20;
            default -> 250L << 20;
        };
    }
}
