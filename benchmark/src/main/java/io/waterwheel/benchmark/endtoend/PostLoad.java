package io.waterwheel.benchmark.endtoend;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that post rows, each one request behind the other on a connection of its own; one thread for all of them, so
 * that the load itself takes little of the processors that it shares. Not thread-safe, but for {@link #measureFrom} and
 * {@link #end}.
 */
final class PostLoad implements AutoCloseable {
    /** Answers are looked for so often while posts are due soon. */
    private static final long MOST_REST_NANOS = 200_000;

    private static final int ANSWER_BYTES = 64 << 10;
    private static final byte[] STATUS = "HTTP/1.1 200 ".getBytes(US_ASCII);
    /** What says that the same rows may be sent again under the same key. */
    private static final List<byte[]> AGAIN = List.of(
            "HTTP/1.1 429 ".getBytes(US_ASCII), "HTTP/1.1 503 ".getBytes(US_ASCII), "HTTP/1.1 504 ".getBytes(US_ASCII));

    private static final byte[] LENGTH = "\r\ncontent-length:".getBytes(US_ASCII);
    private static final byte[] HEAD_END = "\r\n\r\n".getBytes(US_ASCII);
    private static final byte[] NOT_VISIBLE = "\"visible\":false".getBytes(US_ASCII);

    private final Selector selector = Selector.open();
    private final List<Client> clients = new ArrayList<>();
    private final byte[] head;
    private final int rows;
    private final boolean keys;
    private final AtomicLong nextPost;
    /** Between the posts of one client, in nanoseconds; 0: the next follows the answer. */
    private final double interval;

    private volatile long measureFrom = Long.MAX_VALUE;
    private volatile boolean ends;
    private long[] waits = new long[1 << 16];
    private int count;
    private long confirmed;
    private long failures;

    /**
     * Connects.
     *
     * @param gateways the first for the first client, and so on
     * @param target path and query
     * @param rows of each post
     * @param keys whether each has a key
     * @param nextPost numbers posts, of several loads too
     * @param rate posts a second of all clients; 0: all they can
     */
    PostLoad(List<URI> gateways, String target, int clients, int rows, boolean keys, AtomicLong nextPost, double rate)
            throws IOException {
        this.head = ("POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv; header=absent\r\n")
                .getBytes(US_ASCII);
        this.rows = rows;
        this.keys = keys;
        this.nextPost = nextPost;
        this.interval = rate == 0 ? 0 : clients * 1e9 / rate;
        long now = System.nanoTime();
        for (int c = 0; c < clients; c++) {
            URI gateway = gateways.get(c % gateways.size());
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(gateway.getHost(), gateway.getPort()));
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            // One behind the other, not all at once.
            Client client = new Client(channel, now + (long) (interval * c / clients));
            var unused = channel.register(selector, SelectionKey.OP_READ, client);
            this.clients.add(client);
        }
    }

    /** One connection. */
    private static final class Client {
        private final SocketChannel channel;
        private final ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES);
        private ByteBuffer request = ByteBuffer.allocate(1 << 12);
        private double due;
        private long begin;
        private boolean waits;

        Client(SocketChannel channel, long due) {
            this.channel = channel;
            this.due = due;
        }
    }

    /** Posts that are due from now on are measured. */
    void measureFrom(long nanos) {
        measureFrom = nanos;
    }

    /** Ends {@link #run}, once all that was sent has its answer. */
    void end() {
        ends = true;
        selector.wakeup();
    }

    /** How long each measured post took, in nanoseconds. */
    long[] waits() {
        return Arrays.copyOf(waits, count);
    }

    /** Answers that posts under keys were not stored, or perhaps not. */
    long failures() {
        return failures;
    }

    /** Rows that were confirmed, measured or not. */
    long confirmed() {
        return confirmed;
    }

    /**
     * Posts until {@link #end}.
     *
     * @throws IOException where an answer is not that the rows are stored, or visible where that was asked for
     */
    void run() throws IOException {
        int waiting = 0;
        while (!ends || waiting > 0) {
            double next = Double.MAX_VALUE;
            long now = System.nanoTime();
            for (Client client : clients) {
                if (!client.waits && !ends) {
                    if (client.due <= now || interval == 0) {
                        send(client, interval == 0 ? now : (long) client.due);
                        client.due += interval;
                        waiting++;
                    } else {
                        next = Math.min(next, client.due);
                    }
                }
            }
            if (next == Double.MAX_VALUE) {
                selector.select(100);
            } else {
                // The selector counts in milliseconds: what is due within one is looked at again.
                long millis = (long) ((next - System.nanoTime()) / 1e6);
                if (millis > 0) {
                    selector.select(millis);
                } else if (selector.selectNow() == 0) {
                    LockSupport.parkNanos(Math.min((long) (next - System.nanoTime()), MOST_REST_NANOS));
                }
            }
            for (SelectionKey key : selector.selectedKeys()) {
                waiting -= take((Client) key.attachment()) ? 1 : 0;
            }
            selector.selectedKeys().clear();
        }
    }

    private void send(Client client, long begin) throws IOException {
        client.begin = begin;
        client.waits = true;
        write(client, nextPost.getAndIncrement());
        client.request.flip();
        client.channel.write(client.request);
        if (client.request.hasRemaining()) {
            client.channel.keyFor(selector).interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        }
    }

    /** Goes on with a connection; whether its answer has come whole. */
    private boolean take(Client client) throws IOException {
        if (client.request.hasRemaining()) {
            client.channel.write(client.request);
            if (!client.request.hasRemaining()) {
                client.channel.keyFor(selector).interestOps(SelectionKey.OP_READ);
            }
        }
        if (client.channel.read(client.answer) < 0) {
            throw new IOException("the gateway ended the connection: " + text(client.answer));
        }
        byte[] bytes = client.answer.array();
        int filled = client.answer.position();
        int headEnd = find(HEAD_END, bytes, 0, filled);
        if (headEnd < 0) {
            return false;
        }
        int length = find(LENGTH, bytes, 0, headEnd);
        if (length < 0) {
            throw new IOException("an answer without length: " + text(client.answer));
        }
        int body = 0;
        for (int at = length + LENGTH.length; bytes[at] != '\r'; at++) {
            body = bytes[at] == ' ' ? body : body * 10 + bytes[at] - '0';
        }
        if (filled < headEnd + HEAD_END.length + body) {
            return false;
        }
        if (keys && AGAIN.stream().anyMatch(status -> find(status, bytes, 0, status.length) == 0)) {
            failures++;
            client.answer.clear();
            client.request.rewind();
            client.channel.write(client.request);
            if (client.request.hasRemaining()) {
                client.channel.keyFor(selector).interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            }
            return false;
        }
        if (find(STATUS, bytes, 0, STATUS.length) != 0 || find(NOT_VISIBLE, bytes, headEnd, filled) >= 0) {
            throw new IOException(text(client.answer));
        }
        client.answer.clear();
        client.waits = false;
        confirmed += rows;
        if (client.begin >= measureFrom) {
            if (count == waits.length) {
                waits = Arrays.copyOf(waits, 2 * count);
            }
            waits[count++] = System.nanoTime() - client.begin;
        }
        return true;
    }

    private static String text(ByteBuffer answer) {
        return US_ASCII.decode(answer.duplicate().flip()).toString();
    }

    /** Where the bytes are, compared as lower case; -1 when they are not there. */
    private static int find(byte[] wanted, byte[] in, int from, int to) {
        for (int at = from; at <= to - wanted.length; at++) {
            int same = 0;
            while (same < wanted.length && lower(in[at + same]) == lower(wanted[same])) {
                same++;
            }
            if (same == wanted.length) {
                return at;
            }
        }
        return -1;
    }

    private static int lower(byte b) {
        return b >= 'A' && b <= 'Z' ? b + 32 : b;
    }

    /* A whole request: the digits of its numbers are written as bytes, without a text between. */

    private byte[] body = new byte[1 << 10];
    private int bodyLength;

    private void write(Client client, long post) {
        bodyLength = 0;
        long at = System.currentTimeMillis();
        for (long id = post * rows; id < (post + 1) * rows; id++) {
            if (body.length - bodyLength < 100) {
                body = Arrays.copyOf(body, 2 * body.length);
            }
            number(id);
            body[bodyLength++] = ',';
            number(at);
            body[bodyLength++] = ',';
            number(id % 1000);
            body[bodyLength++] = '.';
            body[bodyLength++] = '5';
            body[bodyLength++] = '\n';
        }
        String more =
                (keys ? "Idempotency-Key: post-" + post + "\r\n" : "") + "Content-Length: " + bodyLength + "\r\n\r\n";
        int length = head.length + more.length() + bodyLength;
        if (client.request.capacity() < length) {
            client.request = ByteBuffer.allocate(2 * length);
        }
        client.request.clear();
        client.request.put(head).put(more.getBytes(US_ASCII)).put(body, 0, bodyLength);
    }

    private void number(long value) {
        int digits = 1;
        for (long rest = value / 10; rest > 0; rest /= 10) {
            digits++;
        }
        long left = value;
        for (int i = digits - 1; i >= 0; i--) {
            body[bodyLength + i] = (byte) ('0' + left % 10);
            left /= 10;
        }
        bodyLength += digits;
    }

    @Override
    public void close() throws IOException {
        for (Client client : clients) {
            client.channel.close();
        }
        selector.close();
    }
}
