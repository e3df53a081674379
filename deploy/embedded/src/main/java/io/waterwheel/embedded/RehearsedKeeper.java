package io.waterwheel.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/**
 * Answers a client of ZooKeeper that looks for a coordinator: every node has one child, and the coordinator's address
 * as its data. With it a command with {@code --zookeeper} is rehearsed where no ZooKeeper is
 * ({@link ClassArchiveTraining}).
 */
final class RehearsedKeeper implements AutoCloseable {
    private static final int GET_DATA = 4;
    private static final int GET_CHILDREN = 8;
    private static final int CLOSE = -11;

    private static final int SESSION_MILLIS = 10_000;
    private static final int PASSWORD_BYTES = 16;
    /** Six numbers of 64 bits, and five of 32. */
    private static final int STAT_BYTES = 68;

    private static final byte[] CHILD = {'0'};

    private final byte[] url;
    private final RehearsedPort port;

    RehearsedKeeper(String url) throws IOException {
        this.url = url.getBytes(StandardCharsets.UTF_8);
        port = new RehearsedPort("keeper", Session::new);
    }

    String connect() {
        return port.place();
    }

    /** One connection. */
    private final class Session implements UnaryOperator<ByteBuffer> {
        private boolean connected;

        @Override
        public ByteBuffer apply(ByteBuffer request) {
            if (!connected) {
                connected = true;
                // Version, how long the session lives, its id, a password, and whether it may only read.
                return ByteBuffer.allocate(4 + 4 + 8 + 4 + PASSWORD_BYTES + 1)
                        .putInt(0)
                        .putInt(SESSION_MILLIS)
                        .putLong(1)
                        .putInt(PASSWORD_BYTES)
                        .put(new byte[PASSWORD_BYTES])
                        .put((byte) 0)
                        .flip();
            }
            int xid = request.getInt();
            int type = request.getInt();
            return switch (type) {
                case GET_DATA ->
                    reply(xid, 4 + url.length + STAT_BYTES)
                            .putInt(url.length)
                            .put(url)
                            .put(new byte[STAT_BYTES])
                            .flip();
                case GET_CHILDREN ->
                    reply(xid, 4 + 4 + CHILD.length)
                            .putInt(1)
                            .putInt(CHILD.length)
                            .put(CHILD)
                            .flip();
                case CLOSE -> reply(xid, 0).flip();
                default -> throw new IllegalStateException("a request of type " + type);
            };
        }

        /** The header of a reply, with room behind it. */
        private static ByteBuffer reply(int xid, int room) {
            return ByteBuffer.allocate(4 + 8 + 4 + room).putInt(xid).putLong(1).putInt(0);
        }
    }

    @Override
    public void close() throws IOException {
        port.close();
    }
}
