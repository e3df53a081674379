package io.waterwheel.embedded.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free loopback ports, kept in a file: a server that starts again on its folder listens where it did before, so that
 * clients find it. A kept port that another process took meanwhile is given up for a new one.
 */
public final class PortRegistry {
    private static final String FILE = "ports.properties";

    /**
     * Below what operating systems give to outgoing connections and to listeners on port 0: one of those could take a
     * port between our choice and the server's bind, or while the server is down.
     */
    private static final int LOWEST = 20_000;

    private static final int BEYOND = 32_000;
    private static final int TRIES = 1_000;

    /**
     * The ports that this process has chosen, which no other chooses: between the choice and the bind they look free.
     * What holds one is the UDP port of the same number, which the system frees with the process.
     */
    private static final Map<Integer, DatagramSocket> CHOSEN = new HashMap<>();

    private final Path file;
    private final Properties ports = new Properties();

    public PortRegistry(Path folder) throws IOException {
        this.file = folder.resolve(FILE);
        if (Files.exists(file)) {
            try (InputStream in = Files.newInputStream(file)) {
                ports.load(in);
            }
        }
    }

    /**
     * A port to listen on.
     *
     * @param wanted 0 for the kept one or any free one
     * @throws IOException when the wanted port is taken
     */
    public int port(String name, int wanted) throws IOException {
        if (wanted != 0) {
            if (!isFree(wanted)) {
                throw new IOException(
                        name + ": port " + wanted + " of 127.0.0.1 is taken; stop what listens there or name another");
            }
            return wanted;
        }
        int kept = kept(name);
        int port = kept != 0 && isFree(kept) && choose(kept) ? kept : anyFree();
        if (port != kept) {
            ports.setProperty(name, Integer.toString(port));
            save();
        }
        return port;
    }

    private int kept(String name) throws IOException {
        String text = ports.getProperty(name, "0");
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IOException(file + ": " + name + ": expected a port, got '" + text + "'; delete the file", e);
        }
    }

    private static int anyFree() throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND);
            if (!isChosen(port) && isFree(port) && choose(port)) {
                return port;
            }
        }
        throw new IOException("no free port of 127.0.0.1 found between " + LOWEST + " and " + (BEYOND - 1));
    }

    private static boolean isChosen(int port) {
        synchronized (CHOSEN) {
            return CHOSEN.containsKey(port);
        }
    }

    /** Whether the port is this process's own now. */
    private static boolean choose(int port) {
        synchronized (CHOSEN) {
            if (!CHOSEN.containsKey(port)) {
                try {
                    CHOSEN.put(port, new DatagramSocket(port, InetAddress.getLoopbackAddress()));
                } catch (IOException e) {
                    return false;
                }
            }
            return true;
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true); // connections of the killed process may linger
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void save() throws IOException {
        Path temporary = file.resolveSibling(FILE + ".new");
        try (OutputStream out = Files.newOutputStream(temporary)) {
            ports.store(out, "ports of this folder's servers");
        }
        Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
