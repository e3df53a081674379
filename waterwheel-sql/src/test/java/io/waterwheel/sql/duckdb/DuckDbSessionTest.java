package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A statement in DuckDB's process, seen through its connection. */
@Timeout(300)
final class DuckDbSessionTest {
    private static final List<Field> TEXT = List.of(new Field("c0", FieldType.STRING, true));
    private static final List<Field> NUMBER = List.of(new Field("c0", FieldType.LONG, true));

    @TempDir
    Path folder;

    /** What one end writes the other reads. */
    private record Ends(SocketChannel ours, SocketChannel theirs) {}

    private Ends connected(String name) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve(name));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            SocketChannel ours = SocketChannel.open(address);
            return new Ends(ours, server.accept());
        }
    }

    private static DuckDBConnection database() throws SQLException {
        return DuckDBConnection.newConnection("jdbc:duckdb:", false, null, new Properties());
    }

    /** The end of the connection comes before the statement runs, or just after. */
    @Test
    void endsAStatementThatWasGivenUpBeforeItRan() throws Exception {
        try (DuckDBConnection database = database()) {
            RowFunction rows = RowFunction.register(database);
            for (int round = 0; round < 10; round++) {
                Ends ends = connected("s" + round);
                Message.of(Message.Kind.SELECT, out -> {
                            RowFields.write(NUMBER, out);
                            out.write("SELECT count(*) AS c0 FROM range(1000000) a, range(1000000) b, range(1000000) c"
                                    .getBytes(StandardCharsets.UTF_8));
                        })
                        .write(ends.ours());
                ends.ours().close();
                try (SocketChannel channel = ends.theirs();
                        DuckDBConnection connection = database.duplicate();
                        DuckDbSession session =
                                new DuckDbSession(channel, connection, rows, new RegionTables(1 << 20))) {
                    // It cannot even say that it was cancelled.
                    assertThatThrownBy(session::run).isInstanceOf(IOException.class);
                }
            }
        }
    }

    /** Texts by which another leaf may be narrowed, as many bytes as are wanted; of more, nothing. */
    @Test
    void sendsValuesOfUpToSoManyBytes() throws Exception {
        assertThat(values(1000, 65_532, "x", 1)).isEqualTo("1 of 65532");
        assertThat(values(1000, 65_533, "x", 1)).isEqualTo("none");
        // Two bytes a character.
        assertThat(values(1000, 40_000, "ü", 1)).isEqualTo("none");
        assertThat(values(3, 1, "x", 3)).isEqualTo("3 of 7");
        assertThat(values(2, 1, "x", 3)).isEqualTo("none");
    }

    /** How many values come, and characters of all; of texts that begin with as many of a character. */
    private String values(int most, int length, String character, int rows) throws Exception {
        Ends ends = connected("v" + most + "-" + length + rows);
        Thread answering = new Thread(() -> {
            try (DuckDBConnection database = database();
                    DuckDbSession session = new DuckDbSession(
                            ends.theirs(), database, RowFunction.register(database), new RegionTables(1 << 20))) {
                session.run();
            } catch (IOException e) {
                assertThat(e).hasMessage("the other process has gone");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        answering.start();
        try (SocketChannel channel = ends.ours()) {
            Message.of(Message.Kind.TABLE, out -> {
                        out.writeUTF("leaf0");
                        RowFields.write(TEXT, out);
                        out.writeInt(1);
                        out.writeInt(0);
                    })
                    .write(channel);
            TupleBlock block = new TupleBlock(RowLayout.ofFields(TEXT), rows);
            int column = block.layout().columnOf(0);
            for (int row = 0; row < rows; row++) {
                byte[] text = (character.repeat(length) + (row == 0 ? "" : row + 9)).getBytes(StandardCharsets.UTF_8);
                LittleEndian.putLong(block.column(column), row * 8, block.addToArena(text, 0, text.length));
            }
            block.setSize(rows);
            byte[] encoded = new byte[BlockCodec.encodedBytes(block, false)];
            BlockCodec.encode(block, false, encoded, 0);
            Message.write(channel, Message.Kind.ROWS, encoded, encoded.length);
            Message.of(Message.Kind.TABLE_ENDS, out -> {}).write(channel);
            Message.of(Message.Kind.VALUES, out -> {
                        out.writeUTF("leaf0");
                        out.writeUTF("c0");
                        out.writeBoolean(false);
                        out.writeInt(most);
                        out.writeInt(65_536);
                    })
                    .write(channel);
            DataInputStream in = Message.read(channel).in();
            int count = in.readInt();
            if (count < 0) {
                return "none";
            }
            int characters = 0;
            for (int i = 0; i < count; i++) {
                characters += new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8).length();
            }
            return count + " of " + characters;
        } finally {
            answering.join();
        }
    }
}
