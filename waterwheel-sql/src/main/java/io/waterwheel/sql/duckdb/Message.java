package io.waterwheel.sql.duckdb;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A message between the two processes: {@code length kind body}, the length of the body in four bytes, the kind in one.
 */
final class Message {
    /** Both processes are of one release, so numbers may change. */
    enum Kind {
        /**
         * To the process. A table to make: its name, fields of the rows to come, and which field each column holds.
         * Before its end the same table may be begun anew, without its rows.
         */
        TABLE(1),
        /** Rows as a tuple block: of the table to the process, of the answer from it. */
        ROWS(2),
        /** To the process. The table is whole. */
        TABLE_ENDS(3),
        /** To the process. Asks for the values of a column of a table, if they are few; and from it, these. */
        VALUES(4),
        /** To the process. The SELECT to answer, and its fields. */
        SELECT(5),
        /** From the process. The answer is whole. */
        ANSWER_ENDS(6),
        /** From the process. What went wrong; nothing else follows. */
        FAILURE(7),
        /**
         * To the process. A table of regions to make of the tables so far: its number, and its SELECT; and from it,
         * that it is made.
         */
        REGIONS(8),
        /** To the process. A table to make: its number, and its SELECT; and from it, that it is made. */
        SIDE(9);

        private final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }

        /** The kind of a code, or null. */
        static @Nullable Kind of(byte code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            return null;
        }
    }

    /** Longest body; blocks of rows are of some megabytes at most. */
    private static final int MOST_BYTES = 64 << 20;

    private final Kind kind;
    private final byte[] body;

    private Message(Kind kind, byte[] body) {
        this.kind = kind;
        this.body = body;
    }

    /** Writes a body. */
    interface Body {
        void to(DataOutputStream out) throws IOException;
    }

    static Message of(Kind kind, Body body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            body.to(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Message(kind, bytes.toByteArray());
    }

    Kind kind() {
        return kind;
    }

    /** Its bytes, not copied. */
    byte[] body() {
        return body;
    }

    DataInputStream in() {
        return new DataInputStream(new ByteArrayInputStream(body));
    }

    void write(SocketChannel channel) throws IOException {
        write(channel, kind, body, body.length);
    }

    /** Writes a message whose body are the first bytes of an array. */
    static void write(SocketChannel channel, Kind kind, byte[] body, int length) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(5).putInt(length).put(kind.code).flip();
        ByteBuffer[] both = {head, ByteBuffer.wrap(body, 0, length)};
        while (both[1].hasRemaining() || both[0].hasRemaining()) {
            channel.write(both);
        }
    }

    /**
     * The next message.
     *
     * @throws EOFException when the other process is gone
     */
    static Message read(SocketChannel channel) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(5);
        fill(channel, head);
        int length = head.getInt();
        byte code = head.get();
        Kind kind = Kind.of(code);
        if (length < 0 || length > MOST_BYTES || kind == null) {
            throw new IOException("a message of kind " + code + " and " + length + " bytes");
        }
        ByteBuffer body = ByteBuffer.allocate(length);
        fill(channel, body);
        return new Message(kind, body.array());
    }

    private static void fill(SocketChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("the other process has ended");
            }
        }
        buffer.flip();
    }
}
