package io.waterwheel.embedded;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port of loopback that answers requests one after another, each with its length before it, as Kafka and ZooKeeper
 * have them ({@link ClassArchiveTraining}). Its client alone connects.
 */
final class RehearsedPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RehearsedPort.class);
    private static final int MOST_BYTES = 1 << 20;

    private final String service;
    private final Supplier<UnaryOperator<ByteBuffer>> answers;
    private final ServerSocket socket;

    /**
     * @param service what it stands in for, for threads and messages
     * @param answers makes what answers the requests of one connection
     */
    RehearsedPort(String service, Supplier<UnaryOperator<ByteBuffer>> answers) throws IOException {
        this.service = service;
        this.answers = answers;
        socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    private void start(Runnable work) {
        Thread thread = new Thread(work, "rehearsed-" + service);
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return socket.getLocalPort();
    }

    /** {@code HOST:PORT}. */
    String place() {
        return "127.0.0.1:" + port();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                start(() -> serve(client));
            }
        } catch (IOException e) {
            LOG.debug("no further client is served", e);
        }
    }

    private void serve(Socket client) {
        try (client;
                DataInputStream in = new DataInputStream(client.getInputStream());
                DataOutputStream out = new DataOutputStream(client.getOutputStream())) {
            UnaryOperator<ByteBuffer> answer = answers.get();
            while (true) {
                int length = in.readInt();
                if (length < 0 || length > MOST_BYTES) {
                    throw new IOException("a request of " + length + " bytes, expected at most " + MOST_BYTES);
                }
                byte[] request = new byte[length];
                in.readFully(request);
                ByteBuffer answered = answer.apply(ByteBuffer.wrap(request));
                out.writeInt(answered.remaining());
                out.write(answered.array(), answered.arrayOffset() + answered.position(), answered.remaining());
                out.flush();
            }
        } catch (EOFException e) {
            LOG.debug("the client has ended", e);
        } catch (IOException | RuntimeException e) {
            // The command that is rehearsed fails in some seconds, and with it the rehearsal.
            LOG.warn("the rehearsed {} serves this client no more", service, e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
