package io.waterwheel.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports of the loopback address, and who listens on one. Stateless. */
final class Ports {
    private static final String LISTENING = "0A";
    private static final int LOWEST = 20_000;
    private static final int BEYOND = 32_000;
    private static final int TRIES = 1_000;

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
            throw new IOException("fewer than " + count + " free ports of 127.0.0.1 found between " + LOWEST + " and "
                    + (BEYOND - 1));
        }
        return List.copyOf(ports);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Whether the process itself listens on the port: that somebody answers there would not do, it may be a stranger
     * who took the port first.
     */
    static boolean ownedBy(long pid, int port) throws IOException {
        Set<String> sockets = new HashSet<>();
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            Path file = Path.of(table);
            if (Files.exists(file)) {
                collect(Files.readAllLines(file), port, sockets);
            }
        }
        if (sockets.isEmpty()) {
            return false;
        }
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
            for (Path descriptor : descriptors) {
                if (pointsTo(descriptor, sockets)) {
                    return true;
                }
            }
        } catch (IOException e) {
            return false; // the process has ended
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
            String[] columns = line.strip().split("\\s+", -1);
            if (columns.length > 9 && columns[1].endsWith(suffix) && columns[3].equals(LISTENING)) {
                sockets.add("socket:[" + columns[9] + "]");
            }
        }
    }
}
