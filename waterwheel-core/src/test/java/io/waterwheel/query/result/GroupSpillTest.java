package io.waterwheel.query.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.RandomAggregates;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.memory.SpillDisk;
import io.waterwheel.query.memory.SpillFile;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.SpilledBlocks;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups that go to disk are those of a merge that holds all of them. */
final class GroupSpillTest {
    private static final long MEBIBYTE = 1 << 20;
    private static final int SEEDS = Rounds.of(2, 2_000);
    private static final Schema NUMBERS = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    @TempDir
    Path folder;

    private SpillDisk disk(long most) {
        return SpillDisk.of(folder, most, 0);
    }

    /** Every function, of every type of field, in every order of the answer. */
    @Test
    void answersAreThoseOfAMergeThatHoldsAllGroups() throws Exception {
        long first = Long.getLong("seed", 1);
        int spilled = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            SmallRows rows = new SmallRows(random, true);
            RowLayout layout = RowLayout.of(rows.schema());
            ResultSpec wanted = wanted(random, layout.fields());
            String about = "-Dseed=" + seed + " -Dseeds=1: " + wanted;
            Gather gather = Gather.of(wanted, layout, rows.schema(), TimeInterval.ALL, null);
            List<TupleBlock> parts = new ArrayList<>();
            List<TupleBlock> shares = new ArrayList<>();
            QueryMemory ofScans = new QueryMemory(64 * MEBIBYTE, MEBIBYTE);
            // The same rows in scans of one block, and in some that hand on what they hold.
            for (int scan = 0; scan < 4; scan++) {
                try (Reservation reservation = ofScans.open()) {
                    Workspace workspace = new Workspace(() -> true, reservation);
                    RowCollector several = gather.collector(shares::add, workspace);
                    for (int b = 0; b < 6; b++) {
                        TupleBlock block = rows.block(1000);
                        int[] all = IntStream.range(0, block.size()).toArray();
                        several.add(RowView.of(block, workspace), all, all.length);
                        RowCollector alone = gather.collector(parts::add, Workspace.unhurried());
                        alone.add(RowView.of(block), all, all.length);
                        alone.finish();
                    }
                    several.finish();
                }
            }
            Collections.shuffle(shares, random);
            Collections.shuffle(parts, random);
            Outcome expected = merged(gather, parts, new QueryMemory(1 << 30, 1 << 30));
            QueryMemory little = new QueryMemory(64 * MEBIBYTE, 2 * MEBIBYTE, disk(1 << 30));
            Outcome outcome = merged(gather, random.nextBoolean() ? parts : shares, little);
            assertThat(outcome.failure).as(about).isEqualTo(expected.failure);
            assertThat(outcome.rows).as(about).isEqualTo(expected.rows);
            assertThat(merged(gather, shares, new QueryMemory(1 << 30, 1 << 30)).rows)
                    .as(about)
                    .isEqualTo(expected.rows);
            assertThat(little.reserved()).as(about).isZero();
            assertThat(little.spilled()).as(about).isZero();
            spilled += outcome.spilled ? 1 : 0;
        }
        assertThat(spilled).as("of %d, how many did not fit into memory", SEEDS).isGreaterThanOrEqualTo(SEEDS / 2);
        try (var left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    private static ResultSpec wanted(Random random, List<Field> fields) {
        List<String> names = new ArrayList<>(fields.stream().map(Field::name).toList());
        Collections.shuffle(names, random);
        List<NamedExpression> groups = new ArrayList<>(NamedExpression.fields(
                names.subList(0, Math.min(names.size(), 4)).toArray(String[]::new)));
        if (random.nextInt(3) == 0) {
            groups.add(NamedExpression.parse("CASE WHEN t IS NULL THEN 'none' ELSE 'some' END AS computed"));
        }
        List<Aggregate> values = new ArrayList<>();
        for (int a = random.nextInt(4) - 1; a >= 0; a--) {
            values.add(new RandomAggregates(random, fields).any("a" + a));
        }
        Duration bucket = random.nextInt(3) == 0 ? Duration.ofMillis(1 + random.nextInt(3)) : null;
        ResultSpec.Aggregates wanted = new ResultSpec.Aggregates(values, groups, bucket);
        // Of values that no two ways of writing a zero tell apart.
        boolean byValue = !values.isEmpty() && random.nextBoolean();
        String field = byValue ? values.get(0).name() : groups.get(0).name();
        if (random.nextInt(3) == 0) {
            wanted = wanted.withHaving(Expression.parse(field + " IS NOT NULL"));
        }
        long limit = random.nextBoolean() ? Query.NO_LIMIT : 1 + random.nextInt(5_000);
        return switch (random.nextInt(3)) {
            case 0 -> wanted;
            case 1 -> wanted.withOrder(List.of(), limit);
            default -> wanted.withOrder(List.of(new Order(field, random.nextBoolean())), 1 + random.nextInt(300));
        };
    }

    /** What came of a merge: the rows as text, or the code of the error. */
    private record Outcome(List<String> rows, String failure, long found, boolean spilled) {}

    private static Outcome merged(Gather gather, List<TupleBlock> parts, QueryMemory memory) {
        List<String> rows = new ArrayList<>();
        boolean spilled = false;
        try (Reservation reservation = memory.open()) {
            PartialMerge merge = gather.merge(new Workspace(() -> true, reservation));
            for (TupleBlock part : parts) {
                merge.found(part.size());
                merge.accept(part, block -> true);
                spilled |= memory.spilled() > 0;
            }
            long found = merge.finish(block -> rows.addAll(texts(block)));
            return new Outcome(rows, "", found, spilled);
        } catch (WaterwheelException e) {
            // An overflow may be met after some rows.
            return new Outcome(List.of(), e.code(), 0, spilled);
        }
    }

    private static List<String> texts(TupleBlock block) {
        List<String> texts = new ArrayList<>();
        for (int row = 0; row < block.size(); row++) {
            StringBuilder text = new StringBuilder();
            for (Map.Entry<String, Object> value : SmallRows.row(block, row).entrySet()) {
                Object one = value.getValue();
                Object shown = one instanceof Double number
                        ? (Object) (number + 0.0)
                        : one instanceof byte[] bytes ? Arrays.toString(bytes) : Objects.toString(one);
                text.append(value.getKey()).append('=').append(shown).append(' ');
            }
            texts.add(text.toString());
        }
        return texts;
    }

    /** More groups than are ever held at once, in a scan and in a merge; each comes twice, far apart. */
    @Test
    void groupsAreBoundedByDiskAlone() throws Exception {
        int groups = GroupTable.MAX_GROUPS * 5 / 4;
        ResultSpec wanted = new ResultSpec.Aggregates(
                List.of(Aggregate.count(), Aggregate.parse("sum(k) AS s")), NamedExpression.fields("k"), null);
        Gather gather = Gather.of(wanted, RowLayout.of(NUMBERS), NUMBERS, TimeInterval.ALL, null);
        QueryMemory memory = new QueryMemory(64 * MEBIBYTE, 32 * MEBIBYTE, disk(1 << 30));
        try (Reservation reservation = memory.open()) {
            Workspace workspace = new Workspace(() -> true, reservation);
            PartialMerge merge = gather.merge(workspace);
            RowCollector collector = gather.collector(part -> merge.accept(part, block -> true), workspace);
            for (int again = 0; again < 2; again++) {
                for (int from = 0; from < groups; from += 1024) {
                    TupleBlock block = new TupleBlock(RowLayout.of(NUMBERS), 1024);
                    for (int row = 0; row < 1024; row++) {
                        // Scattered, so that neighbours are far from each other in the order.
                        block.keys()[row] = (from + row) * 7_919L % groups;
                    }
                    block.setSize(Math.min(1024, groups - from));
                    collector.add(
                            RowView.of(block, workspace),
                            IntStream.range(0, 1024).toArray(),
                            block.size());
                }
            }
            collector.finish();
            merge.found(collector.found());
            assertThat(memory.spilled()).isPositive();
            long[] next = {0};
            assertThat(merge.finish(block -> {
                        RowLayout layout = block.layout();
                        for (int row = 0; row < block.size(); row++, next[0]++) {
                            long group = LittleEndian.getLong(block.column(layout.columnOf(0)), row * 8);
                            long count = LittleEndian.getLong(block.column(layout.columnOf(1)), row * 8);
                            long sum = LittleEndian.getLong(block.column(layout.columnOf(2)), row * 8);
                            if (group != next[0] || count != 2 || sum != 2 * group) {
                                throw new AssertionError(next[0] + ": " + group + ", " + count + ", " + sum);
                            }
                        }
                        return true;
                    }))
                    .isEqualTo(2L * groups);
            assertThat(next[0]).isEqualTo(groups);
        }
        assertThat(memory.reserved()).isZero();
        assertThat(memory.spilled()).isZero();
    }

    /** A part with these groups, one after the other. */
    private static TupleBlock part(Gather gather, long from, int rows) {
        RowLayout layout = gather.partLayout();
        TupleBlock part = new TupleBlock(layout, rows);
        for (int row = 0; row < rows; row++) {
            LittleEndian.putLong(part.column(layout.columnOf(0)), row * 8, from + row);
            LittleEndian.putLong(part.column(layout.columnOf(1)), row * 8, 1);
        }
        part.setSize(rows);
        return part;
    }

    private static GatherGroups counts(String... more) {
        List<Aggregate> values = new ArrayList<>(List.of(Aggregate.count()));
        for (String one : more) {
            values.add(Aggregate.parse(one));
        }
        return (GatherGroups) Gather.of(
                new ResultSpec.Aggregates(values, NamedExpression.fields("k"), null),
                RowLayout.of(NUMBERS),
                NUMBERS,
                TimeInterval.ALL,
                null);
    }

    /** Runs with the same groups: wherever blocks end, some thousand groups are in memory, and each is whole. */
    @Test
    void fewGroupsAreHeldWhereRunsHaveTheSame() {
        int groups = 40_000;
        for (int runs : new int[] {1, 2, 3, 4, 64, 70}) {
            for (GatherGroups gather : List.of(counts(), counts("sum(k) AS s", "max(k) AS m"))) {
                for (int alone : new int[] {0, 1}) {
                    Workspace workspace = Workspace.unhurried();
                    HeldGroups held = new HeldGroups(gather, workspace);
                    HeldGroups.PartReader reader = held.new PartReader();
                    GroupRuns spilled = new GroupRuns(gather, workspace, disk(1 << 30));
                    for (int run = 0; run < runs; run++) {
                        // The first group is in one run only.
                        int first = run == 0 ? 0 : alone;
                        int size = runs > 4 ? groups / 4 : groups;
                        for (int from = first; from < size; from += 1000) {
                            reader.merge(part(gather, from, Math.min(1000, size - from)));
                        }
                        spilled.add(held);
                    }
                    int[] most = {0};
                    long[] all = {0};
                    spilled.finish(taken -> {
                        most[0] = Math.max(most[0], taken.table().groups());
                        all[0] += taken.table().groups();
                        return true;
                    });
                    assertThat(all[0]).as("of %d runs", runs).isEqualTo(runs > 4 ? groups / 4 : groups);
                    assertThat(most[0]).as("held of %d runs", runs).isLessThan(13_000);
                }
            }
        }
    }

    /** Readers take all the memory that they get; the merge goes on with what it has kept, and in runs of some size. */
    @Test
    void readersThatTakeAllMemoryDoNotEndTheMerge() {
        GatherGroups gather = counts();
        QueryMemory memory = new QueryMemory(64 * MEBIBYTE, 8 * MEBIBYTE, disk(1 << 30));
        try (Reservation reservation = memory.open()) {
            PartialMerge merge = gather.merge(new Workspace(() -> true, reservation));
            Reservation readers = reservation.part();
            for (int from = 0; from < 200_000; from += 1000) {
                readers.reserve(readers.left());
                merge.accept(part(gather, from, 1000), block -> true);
            }
            assertThat(memory.spilled()).isPositive();
            readers.close();
            long[] rows = {0};
            merge.finish(block -> {
                rows[0] += block.size();
                return true;
            });
            assertThat(rows[0]).isEqualTo(200_000);
        }
        assertThat(memory.reserved()).isZero();
        assertThat(memory.spilled()).isZero();
    }

    private void assertRefused(SpillDisk disk, String code, String words) {
        ResultSpec wanted = new ResultSpec.Aggregates(List.of(Aggregate.count()), NamedExpression.fields("k"), null);
        Gather gather = Gather.of(wanted, RowLayout.of(NUMBERS), NUMBERS, TimeInterval.ALL, null);
        long before = disk.held();
        QueryMemory memory = new QueryMemory(8 * MEBIBYTE, 2 * MEBIBYTE, disk);
        try (Reservation reservation = memory.open()) {
            Workspace workspace = new Workspace(() -> true, reservation);
            PartialMerge merge = gather.merge(workspace);
            assertThatThrownBy(() -> {
                        for (int from = 0; from < 100_000; from += 1000) {
                            TupleBlock part = new TupleBlock(gather.partLayout(), 1000);
                            for (int row = 0; row < 1000; row++) {
                                LittleEndian.putLong(
                                        part.column(gather.partLayout().columnOf(0)), row * 8, from + row);
                            }
                            part.setSize(1000);
                            merge.accept(part, block -> true);
                        }
                    })
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo(code))
                    .hasMessageContaining(words);
        }
        assertThat(memory.reserved()).isZero();
        assertThat(memory.spilled()).isEqualTo(before);
    }

    @Test
    void aDiskThatIsFullIsAnErrorByName() {
        assertRefused(SpillDisk.of(folder, 400_000, 0), "SPILL_FULL", "one query may take 0.2 MiB");
        assertRefused(SpillDisk.of(folder, 1 << 30, Long.MAX_VALUE / 2), "SPILL_FULL", "is full");
        SpillDisk shared = SpillDisk.of(folder, 10 * MEBIBYTE, 0);
        try (SpillFile one = shared.create();
                SpillFile other = shared.create()) {
            one.append(ByteBuffer.allocate(5_000_000));
            other.append(ByteBuffer.allocate(5_000_000));
            assertRefused(shared, "SPILL_BUSY", "and hold 10.0 MiB now");
        }
        assertThat(shared.held()).isZero();
        assertThatThrownBy(() -> SpillDisk.of(folder.resolve("none"), 1, 0))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SPILL_FAILED"));
    }

    @Test
    void aStartRemovesWhatACrashLeft() throws Exception {
        Path left = Files.createFile(folder.resolve("waterwheel-spill-1"));
        Path other = Files.createFile(folder.resolve("other"));
        SpillFile file = disk(100).create();
        assertThat(left).doesNotExist();
        assertThat(other).exists();
        try (var files = Files.list(folder)) {
            assertThat(files).as("a file that is used has no name").containsExactly(other);
        }
        file.close();
    }

    @Test
    void blocksComeBackAsTheyWere() {
        Random random = new Random(Long.getLong("seed", 1));
        SmallRows rows = new SmallRows(random, true);
        ResultSpec all = new ResultSpec.Rows(List.of(), List.of(), Query.NO_LIMIT);
        Gather gather = Gather.of(all, RowLayout.of(rows.schema()), rows.schema(), TimeInterval.ALL, null);
        List<String> written = new ArrayList<>();
        try (SpilledBlocks blocks =
                new SpilledBlocks(gather.partLayout(), disk(1 << 30).create())) {
            RowCollector collector = gather.collector(
                    part -> {
                        written.addAll(texts(part));
                        blocks.append(part);
                        return true;
                    },
                    Workspace.unhurried());
            for (int b = 0; b < 20; b++) {
                TupleBlock block = rows.block(1 + random.nextInt(500));
                collector.add(
                        RowView.of(block), IntStream.range(0, block.size()).toArray(), block.size());
            }
            collector.finish();
            List<String> read = new ArrayList<>();
            SpilledBlocks.Reader reader = blocks.reader(0, blocks.end());
            for (TupleBlock block = reader.next(); block != null; block = reader.next()) {
                read.addAll(texts(block));
            }
            assertThat(read).isEqualTo(written);
            // As if the disk had returned other bytes.
            assertThatThrownBy(() -> blocks.reader(1, blocks.end()).next())
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SPILL_FAILED"));
        }
    }
}
