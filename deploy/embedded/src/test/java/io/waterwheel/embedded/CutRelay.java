package io.waterwheel.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a server and can die: what a client sees then is what it sees when the server's host dies. Bytes pass
 * it unchanged until a budget is spent; then every connection is cut, and none is taken until it is revived.
 */
final class CutRelay implements AutoCloseable {
    private static final int LEAST_PORT = 20_000;
    private static final int MOST_PORT = 30_000;

    private final int port;
    private final String host;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong passed = new AtomicLong();
    private volatile long budget = Long.MAX_VALUE;
    private volatile boolean closed;
    /** How often it was revived. Guarded by this. */
    private int lives;
    /** Guarded by this; null while it is dead. */
    private @Nullable ServerSocket listening;
    /** The last thread that took connections, ended or not. Guarded by this. */
    private @Nullable Thread accepting;

    /** @param url of the server, {@code grpc://HOST:PORT} */
    CutRelay(String url) throws IOException {
        String[] parts = url.substring(url.lastIndexOf('/') + 1).split(":", -1);
        this.host = parts[0];
        this.target = Integer.parseInt(parts[1]);
        ServerSocket server = listen();
        this.listening = server;
        this.port = server.getLocalPort();
        accept(server);
    }

    /** Below the ports that systems give out by themselves: none of those may be given this one while it is dead. */
    private static ServerSocket listen() throws IOException {
        for (int attempt = 1; ; attempt++) {
            int candidate = ThreadLocalRandom.current().nextInt(LEAST_PORT, MOST_PORT);
            try {
                return new ServerSocket(candidate, 50, InetAddress.getLoopbackAddress());
            } catch (BindException e) {
                if (attempt == 100) {
                    throw e;
                }
            }
        }
    }

    String url() {
        return "grpc://127.0.0.1:" + port;
    }

    /** Bytes that the server has sent through it. */
    long passed() {
        return passed.get();
    }

    /** Dies when the server has sent so many bytes more. */
    void dieAfter(long bytes) {
        budget = passed.get() + bytes;
    }

    synchronized boolean dead() {
        return listening == null;
    }

    /** Takes connections again. */
    void revive() throws IOException {
        budget = Long.MAX_VALUE;
        if (!dead()) {
            return;
        }
        awaitPort();
        ServerSocket again = new ServerSocket();
        again.setReuseAddress(true);
        again.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50);
        listenAgain(again);
    }

    /** The system keeps a closed port while a thread is still within the call that accepts from it. */
    private void awaitPort() {
        Thread before;
        synchronized (this) {
            before = accepting;
        }
        try {
            if (before != null) {
                before.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while the relay's port became free", e);
        }
    }

    private synchronized void listenAgain(ServerSocket again) {
        if (closed) {
            end(again);
            return;
        }
        listening = again;
        lives++;
        accept(again);
    }

    /** Dies of bytes that came before it was revived last, or not at all. */
    private synchronized void die(int life) {
        if (life == lives) {
            die();
        }
    }

    private synchronized void die() {
        ServerSocket before = listening;
        listening = null;
        if (before != null) {
            end(before);
        }
        sockets.forEach(CutRelay::end);
        sockets.clear();
    }

    private static void end(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized void accept(ServerSocket server) {
        int life = lives;
        accepting = thread("accepts", () -> {
            while (true) {
                Socket client = server.accept();
                Socket far;
                try {
                    far = new Socket(host, target);
                } catch (IOException e) {
                    // This connection is refused, as the server would; others are taken.
                    end(client);
                    continue;
                }
                client.setTcpNoDelay(true);
                far.setTcpNoDelay(true);
                sockets.add(client);
                sockets.add(far);
                thread("asks", () -> pump(client, far, false, life));
                thread("answers", () -> pump(far, client, true, life));
                if (dead()) {
                    die();
                }
            }
        });
    }

    private void pump(Socket from, Socket to, boolean counted, int life) throws IOException {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8192];
            int length;
            while ((length = in.read(buffer)) >= 0) {
                long room = counted ? budget - passed.get() : length;
                int passes = (int) Math.max(0, Math.min(length, room));
                out.write(buffer, 0, passes);
                if (counted) {
                    passed.addAndGet(passes);
                    if (passes < length) {
                        die(life);
                    }
                }
            }
        } finally {
            end(from);
            end(to);
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static Thread thread(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // A socket was closed, by whichever end: that is what it is here for.
                    }
                },
                "cut-relay-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void close() {
        closed = true;
        die();
    }
}
