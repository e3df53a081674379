package io.waterwheel.cluster;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports of this machine, and who listens on one. Stateless, but for a {@link Moment}. */
final class Ports {
    private static final String LISTENING = "0A";
    /**
     * Below those of the one-process server, which takes its own from 20,000 on: tests run both at a time, and a daemon
     * takes its port long after that was found free.
     */
    private static final int LOWEST = 10_000;

    private static final int BEYOND = 20_000;
    private static final int TRIES = 1_000;
    private static final int LONGEST_NAME = 60;

    private Ports() {}

    /**
     * As many different ports as asked for, each free a moment ago. They lie below what operating systems give to
     * outgoing connections and to listeners on port 0, so that none of those takes one before the caller does.
     */
    static List<Integer> free(int count) throws IOException {
        Set<Integer> ports = new LinkedHashSet<>();
        for (int i = 0; i < TRIES && ports.size() < count; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND);
            if (isFree(port)) {
                ports.add(port);
            }
        }
        if (ports.size() < count) {
            throw new IOException(
                    "fewer than " + count + " free ports found between " + LOWEST + " and " + (BEYOND - 1));
        }
        return List.copyOf(ports);
    }

    private static boolean isFree(int port) {
        // On every address: Storm's processes listen on all, and pairs have loopback addresses of their own.
        try (ServerSocket socket = new ServerSocket(port, 1)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** Who listens on the port, in words: {@code pid 4711 (java kafka.Kafka)}; empty when no process does. */
    static Optional<String> taker(int port) throws IOException {
        if (isFree(port)) {
            return Optional.empty();
        }
        Set<String> sockets = sockets("self", port);
        for (long pid : Processes.all()) {
            if (holdsOne(pid, sockets)) {
                List<String> command = Processes.commandLine(pid);
                return Optional.of("pid " + pid + " (" + brief(command) + ")");
            }
        }
        return Optional.of("a process of another user");
    }

    /** The program, and for Java its main class. */
    private static String brief(List<String> command) {
        if (command.isEmpty()) {
            return "it has just ended";
        }
        String program = command.get(0).substring(command.get(0).lastIndexOf('/') + 1);
        if (program.equals("java")) {
            for (int i = 1; i < command.size(); i++) {
                String word = command.get(i);
                if (word.equals("-cp") || word.equals("-classpath") || word.equals("--class-path")) {
                    i++;
                } else if (!word.startsWith("-")) {
                    return program + " " + word;
                }
            }
            return program;
        }
        String line = program + " " + String.join(" ", command.subList(1, command.size()));
        return line.length() <= LONGEST_NAME ? line.strip() : line.substring(0, LONGEST_NAME) + "...";
    }

    /**
     * Whether the process itself listens on the port: that somebody answers there would not do, it may be a stranger
     * who took the port first.
     */
    static boolean ownedBy(long pid, int port) {
        return new Moment().ownedBy(pid, port);
    }

    /**
     * The sockets of a moment: the kernel takes milliseconds to list them, however few there are. Each network is
     * looked at once, when it is first asked about. Owner: one thread.
     */
    static final class Moment {
        private final Map<Path, List<String>> networks = new HashMap<>();

        /** As {@link Ports#ownedBy}, of what this moment has seen. */
        boolean ownedBy(long pid, int port) {
            try {
                Path network = Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "ns", "net"));
                List<String> lines = networks.computeIfAbsent(network, unseen -> table(Long.toString(pid)));
                return holdsOne(pid, sockets(lines, port));
            } catch (IOException e) {
                return false; // the process has ended, or is another user's
            }
        }
    }

    /**
     * What the kernel calls the sockets that listen on the port, on whatever address, in the network of a process: it
     * may have a network namespace of its own.
     */
    private static Set<String> sockets(String process, int port) {
        return sockets(table(process), port);
    }

    private static Set<String> sockets(List<String> lines, int port) {
        Set<String> sockets = new HashSet<>();
        collect(lines, port, sockets);
        return sockets;
    }

    /** The kernel's tables of the network of a process. */
    private static List<String> table(String process) {
        List<String> lines = new ArrayList<>();
        for (String table : List.of("tcp", "tcp6")) {
            lines.addAll(lines(Path.of("/proc", process, "net", table)));
        }
        return lines;
    }

    private static List<String> lines(Path table) {
        try {
            return Files.readAllLines(table);
        } catch (IOException e) {
            return List.of(); // the process has just ended, or the kernel has no IPv6
        }
    }

    private static boolean holdsOne(long pid, Set<String> sockets) {
        if (sockets.isEmpty()) {
            return false;
        }
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
            for (Path descriptor : descriptors) {
                if (pointsTo(descriptor, sockets)) {
                    return true;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return false; // the process has ended, or is another user's
        }
        return false;
    }

    private static boolean pointsTo(Path descriptor, Set<String> sockets) {
        try {
            return sockets.contains(Files.readSymbolicLink(descriptor).toString());
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    /**
     * Lines of the kernel's table: number, local address:port, remote address:port, state, ..., the 10th is the inode.
     */
    private static void collect(List<String> lines, int port, Set<String> sockets) {
        String suffix = String.format(Locale.ROOT, ":%04X", port);
        for (String line : lines) {
            // Most are no listeners of it: a look for the text is enough.
            if (!line.contains(suffix)) {
                continue;
            }
            String[] columns = line.strip().split("\\s+", -1);
            if (columns.length > 9 && columns[1].endsWith(suffix) && columns[3].equals(LISTENING)) {
                sockets.add("socket:[" + columns[9] + "]");
            }
        }
    }
}
