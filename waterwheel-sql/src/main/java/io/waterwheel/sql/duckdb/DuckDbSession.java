package io.waterwheel.sql.duckdb;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.schema.Field;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.tuple.TupleBlock;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBChunkedResult;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBPreparedStatement;
import org.duckdb.DuckDBReadableVector;
import org.jspecify.annotations.Nullable;

/** One statement in DuckDB's process: takes the tables of its leaves, then answers one SELECT. One thread. */
final class DuckDbSession implements AutoCloseable {
    /** Columns of a table; a statement's have fewer. */
    private static final int MOST_COLUMNS = 4096;

    private static final int MOST_FAILURE_BYTES = 4000;
    /** Rows that wait while those before them are written. */
    private static final long QUEUED_BYTES = 8 << 20;
    /** Rows that are written by one statement, about; it takes a millisecond whatever it writes. */
    private static final long BATCH_BYTES = 8 << 20;

    private static final long CANCEL_MILLIS = 50;

    private final SocketChannel channel;
    private final DuckDBConnection connection;
    private final RowFunction function;
    private final RegionTables regions;
    /** Of the first table of regions; negative before there is one. */
    private long firstRegions = -1;

    private final List<Long> opened = new ArrayList<>();
    private byte[] encoded = {};
    /** Once a thread reads them; null before. */
    private @Nullable MessageQueue messages;
    /** Reads them; null before. */
    private @Nullable Thread watch;
    /** What can be cancelled now. Guarded by this. */
    private @Nullable DuckDBPreparedStatement running;
    /** Whether nothing more is wanted. Guarded by this. */
    private boolean gone;

    private final List<RegionTables.Table> made = new ArrayList<>();

    /**
     * A session.
     *
     * @param function of all sessions, by which the database takes rows
     * @param regions of all sessions, which the database's functions ask
     */
    DuckDbSession(SocketChannel channel, DuckDBConnection connection, RowFunction function, RegionTables regions) {
        this.channel = channel;
        this.connection = connection;
        this.function = function;
        this.regions = regions;
    }

    /** Does what it is told until the statement is answered, or has failed. */
    void run() throws IOException {
        try {
            while (take(next())) {
                // It has been done.
            }
        } catch (RegionTables.TooLarge
                | RegionTables.NoShape
                | AnswerReader.TooLong
                | AnswerReader.TooManyDigits
                | TableRows.TimeBeyond e) {
            // As DuckDB tells what a function throws.
            fail("Invalid Input Error: " + e.getClass().getSimpleName() + ": " + e.getMessage());
        } catch (SQLException e) {
            fail(String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            fail(e.toString());
            throw e;
        }
    }

    private void fail(String message) throws IOException {
        byte[] text = message.getBytes(StandardCharsets.UTF_8);
        Message.write(channel, Message.Kind.FAILURE, text, Math.min(text.length, MOST_FAILURE_BYTES));
    }

    /** Whether there is more to do. */
    private boolean take(Message message) throws IOException, SQLException {
        switch (message.kind()) {
            case TABLE -> table(message);
            case ROWS, TABLE_ENDS -> throw new IOException("rows of no table");
            case VALUES -> values(message.in());
            case SIDE -> side(message.in());
            case REGIONS -> regions(message.in());
            case SELECT -> {
                answer(message.in());
                return false;
            }
            case ANSWER_ENDS, FAILURE -> throw new IOException("a message that is for the other process");
        }
        return true;
    }

    /**
     * Makes a table of the rows that follow; again where it is begun anew. The rows are received here, not by DuckDB's
     * function: a thread of DuckDB that waits for rows lets others turn in a loop.
     */
    private void table(Message begun) throws IOException, SQLException {
        read();
        Message next = begun;
        while (next != null) {
            DataInputStream in = next.in();
            String name = in.readUTF();
            next = table(name, new TableRows(RowFields.read(in), places(in), function.copiesColumns()));
            if (next != null) {
                // Before its rows are there again, for there may be no room for both.
                execute("DROP TABLE IF EXISTS " + name);
            }
        }
    }

    /** Makes a table; returns the message that begins it anew, or null when it is whole. */
    private @Nullable Message table(String name, TableRows received) throws IOException, SQLException {
        boolean made = false;
        while (true) {
            Message message = next();
            switch (message.kind()) {
                case ROWS -> received.add(message.body());
                case TABLE -> {
                    return message;
                }
                case TABLE_ENDS -> {
                    if (!made || received.bytes() > 0) {
                        write(name, received, made);
                    }
                    return null;
                }
                default -> throw new IOException("a message " + message.kind() + " among the rows of a table");
            }
            if (received.bytes() >= BATCH_BYTES) {
                write(name, received, made);
                made = true;
            }
        }
    }

    private void write(String name, TableRows received, boolean made) throws IOException, SQLException {
        long id = function.open(received);
        try {
            rows(
                    (made ? "INSERT INTO " + name + " " : "CREATE TEMP TABLE " + name + " AS ")
                            + function.select(id, received),
                    chunk -> {});
        } finally {
            function.close(id);
        }
        received.clear();
    }

    private static int[] places(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MOST_COLUMNS) {
            throw new IOException(count + " columns");
        }
        int[] places = new int[count];
        for (int c = 0; c < count; c++) {
            places[c] = in.readInt();
        }
        return places;
    }

    /** Sends the values of a column that are not null; a count of -1 when they are more, or longer, than is wanted. */
    private void values(DataInputStream in) throws IOException, SQLException {
        String name = in.readUTF();
        String column = in.readUTF();
        boolean whole = in.readBoolean();
        int most = in.readInt();
        int mostBytes = in.readInt();
        ByteArrayOutputStream values = new ByteArrayOutputStream();
        int count = 0;
        String select =
                "SELECT DISTINCT " + column + " FROM " + name + " WHERE " + column + " IS NOT NULL LIMIT " + (most + 1);
        try (DataOutputStream out = new DataOutputStream(values);
                DuckDBPreparedStatement statement = connection.prepare(select);
                DuckDBChunkedResult result = statement.query()) {
            while (count >= 0 && result.nextChunk()) {
                DuckDBDataChunkReader chunk = result.chunk();
                DuckDBReadableVector vector = chunk.vector(0);
                for (int row = 0; row < chunk.rowCount() && count >= 0; row++) {
                    if (whole) {
                        out.writeLong(vector.getLong(row));
                    } else {
                        byte[] text = vector.getString(row).getBytes(StandardCharsets.UTF_8);
                        out.writeInt(text.length);
                        out.write(text);
                    }
                    count = count < most && out.size() <= mostBytes ? count + 1 : -1;
                }
            }
        }
        int sent = count;
        Message.of(Message.Kind.VALUES, out -> {
                    out.writeInt(sent);
                    if (sent > 0) {
                        values.writeTo(out);
                    }
                })
                .write(channel);
    }

    /** Makes a table of regions, and reads it into an index that the functions of the SELECT ask. */
    private void regions(DataInputStream in) throws IOException, SQLException {
        int number = in.readInt();
        String select = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        if (number < 0 || number >= RegionTables.MOST_TABLES) {
            throw new IOException("regions of number " + number);
        }
        if (firstRegions < 0) {
            firstRegions = regions.ids();
            execute("SET VARIABLE regions = CAST(" + firstRegions + " AS BIGINT)");
        }
        String name = ResidualPlan.regionTable(number);
        make(name, select);
        RegionTables.Table table = opened(firstRegions + number);
        rows("SELECT n, shape FROM " + name + " WHERE shape IS NOT NULL", chunk -> {
            DuckDBReadableVector numbers = chunk.vector(0);
            DuckDBReadableVector shapes = chunk.vector(1);
            for (int row = 0; row < chunk.rowCount(); row++) {
                table.add(numbers.getLong(row), shapes.getString(row));
            }
        });
        table.build();
        Message.of(Message.Kind.REGIONS, out -> {}).write(channel);
    }

    private void side(DataInputStream in) throws IOException, SQLException {
        int number = in.readInt();
        make(ResidualPlan.sideTable(number), new String(in.readAllBytes(), StandardCharsets.UTF_8));
        Message.of(Message.Kind.SIDE, out -> {}).write(channel);
    }

    /** Makes a table by a statement without rows, which is one that can be cancelled. */
    private void make(String name, String select) throws IOException, SQLException {
        rows("CREATE TEMP TABLE " + name + " AS " + select, chunk -> {});
    }

    private void execute(String statement) throws SQLException {
        try (Statement executed = connection.createStatement()) {
            executed.execute(statement);
        }
    }

    private void answer(DataInputStream in) throws IOException, SQLException {
        List<Field> fields = RowFields.read(in);
        String select = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        AnswerReader reader = new AnswerReader(fields);
        rows(select, chunk -> {
            for (int row = 0; row < chunk.rowCount(); row += reader.block().size()) {
                send(reader.read(chunk, row));
            }
        });
        Message.of(Message.Kind.ANSWER_ENDS, out -> {}).write(channel);
    }

    /** Takes rows. */
    private interface Taker {
        void take(DuckDBDataChunkReader chunk) throws IOException, SQLException;
    }

    /** Runs a SELECT that ends when the connection does. */
    private void rows(String select, Taker taker) throws IOException, SQLException {
        read();
        try (DuckDBPreparedStatement statement = connection.prepare(select)) {
            begin(statement);
            try (DuckDBChunkedResult result = statement.query()) {
                while (result.nextChunk()) {
                    taker.take(result.chunk());
                }
            } finally {
                end();
            }
        }
    }

    private synchronized void begin(DuckDBPreparedStatement statement) throws EOFException {
        if (gone) {
            throw new EOFException("the other process has gone");
        }
        running = statement;
    }

    private synchronized void end() {
        running = null;
        notifyAll();
    }

    /** From here on a thread reads the messages, and so sees an end of the connection: nothing more is wanted then. */
    private void read() {
        if (messages == null) {
            // While a statement runs, none but rows is sent: so the thread waits for the next, or for the end, unless
            // it
            // waits for room, which is until a batch of rows is written.
            MessageQueue queue = new MessageQueue(QUEUED_BYTES);
            messages = queue;
            Thread thread = new Thread(() -> readAll(queue), "statement-watch");
            thread.setDaemon(true);
            thread.start();
            watch = thread;
        }
    }

    private void readAll(MessageQueue queue) {
        try {
            while (true) {
                queue.put(Message.read(channel));
            }
        } catch (IOException e) {
            cancel();
            queue.add(Message.of(Message.Kind.FAILURE, out -> {}));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Message next() throws IOException {
        if (messages == null) {
            return Message.read(channel);
        }
        try {
            Message message = messages.take();
            if (message.kind() == Message.Kind.FAILURE) {
                throw new EOFException("the other process has gone");
            }
            return message;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("while the next message was waited for");
        }
    }

    /** Again and again until it has ended: DuckDB forgets a cancel that comes before the statement runs. */
    private synchronized void cancel() {
        gone = true;
        made.forEach(RegionTables.Table::end);
        try {
            while (running != null) {
                running.cancel();
                wait(CANCEL_MILLIS);
            }
        } catch (SQLException e) {
            System.err.println("session: not cancelled: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized RegionTables.Table opened(long id) {
        RegionTables.Table table = regions.open(id);
        opened.add(id);
        made.add(table);
        if (gone) {
            table.end();
        }
        return table;
    }

    private void send(TupleBlock block) throws IOException {
        int length = BlockCodec.encodedBytes(block, false);
        if (encoded.length < length) {
            encoded = new byte[length + length / 4];
        }
        BlockCodec.encode(block, false, encoded, 0);
        Message.write(channel, Message.Kind.ROWS, encoded, length);
    }

    @Override
    public void close() {
        if (watch != null) {
            // It may hold a message that no one will take.
            watch.interrupt();
        }
        opened.forEach(regions::close);
    }
}
