package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.KeyRange;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a decoder sees to elsewhere, and what a folder must hold. */
final class LocalStreamLimitsTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("t", FieldType.TIMESTAMP_US, false),
                    new Field("k", FieldType.TIMESTAMP, false),
                    new Field("s", FieldType.STRING, false)),
            new KeySpec.Ordered("k"),
            "t");

    @TempDir
    Path folder;

    @Test
    void aValueThatIsTooLongInsertsNothing() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", SCHEMA, LocalSettings.DEFAULT)) {
            stream.insert(block(stream, 1, 10));
            TupleBlock block = block(stream, 2, 20);
            byte[] tooLong = new byte[TupleBlock.MAX_VALUE_BYTES + 1];
            LittleEndian.putLong(block.column(1), 8, block.addToArena(tooLong, 0, tooLong.length));
            assertThatThrownBy(() -> stream.insert(block))
                    .hasMessage("row 1, field s: expected at most 32768 bytes, got 32769");
            assertThat(count(stream)).isEqualTo(1);
            stream.insert(block(stream, 3, 30));
            stream.flush();
            assertThat(count(stream)).isEqualTo(4);
        }
    }

    @Test
    void timesFollowFromAFinerField() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", SCHEMA, LocalSettings.DEFAULT)) {
            TupleBlock block = block(stream, 3, 5_000);
            block.times()[0] = -99;
            stream.insert(block);
            assertThat(stream.answer(stream.query().withTimes(new TimeInterval(5, 5)), rows -> true)
                            .tuples())
                    .isEqualTo(3);
        }
    }

    @Test
    void aBoundFinerThanTheKeyIsRefused() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", SCHEMA, LocalSettings.DEFAULT)) {
            assertThatThrownBy(() -> stream.answer(
                            stream.query().withKeyRanges(List.of(KeyRange.of("2021-10-07T12:00:00.0005Z"))),
                            rows -> true))
                    .hasMessage("key range: key field 'k': expected a value of type timestamp, got"
                            + " '2021-10-07T12:00:00.0005Z'");
        }
    }

    @Test
    void aCountKeepsTheNameItIsGiven() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", SCHEMA, LocalSettings.DEFAULT)) {
            stream.insert(block(stream, 3, 5));
            List<String> found = new ArrayList<>();
            stream.answer(stream.query().withAggregates(List.of(Aggregate.parse("count(*) AS n"))), rows -> {
                found.add(rows.layout().fields().get(0).name() + "=" + rows.value(0, 0));
                return true;
            });
            assertThat(found).containsExactly("n=3");
        }
    }

    @Test
    void chunksWithoutTheirLogAreNotThrownAway() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", SCHEMA, LocalSettings.DEFAULT)) {
            stream.insert(block(stream, 3, 5));
        }
        Files.delete(folder.resolve("edits.log"));
        assertThatThrownBy(() -> LocalStream.open(folder, "s", SCHEMA, LocalSettings.DEFAULT))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("the folder has chunks, but its edits.log is new");
    }

    /** Rows whose time is this many microseconds. */
    private static TupleBlock block(LocalStream stream, int rows, long micros) {
        TupleBlock block = new TupleBlock(stream.layout(), rows);
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = row;
            LittleEndian.putLong(block.column(0), row * 8, micros);
            LittleEndian.putLong(block.column(1), row * 8, block.addToArena(new byte[] {'x'}, 0, 1));
        }
        block.setSize(rows);
        return block;
    }

    private static long count(LocalStream stream) throws InterruptedException {
        return stream.answer(stream.query().withCount(), rows -> true).tuples();
    }
}
