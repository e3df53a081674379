package io.waterwheel.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Free ports of the loopback address, and who listens on one. Stateless. */
final class Ports {
    private static final String LISTENING = "0A";

    private Ports() {}

    /** As many ports as asked for, each free a moment ago; somebody else may take one before the caller does. */
    static List<Integer> free(int count) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            List<Integer> ports = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                held.add(socket);
                ports.add(socket.getLocalPort());
            }
            return ports;
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
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
