package io.waterwheel.key.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.decode.RandomRows;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DimensionLearnerTest {
    private static Schema draft(Dimension... dimensions) {
        return new Schema(
                List.of(
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("kind", FieldType.STRING, false),
                        new Field("height", FieldType.DOUBLE, true),
                        new Field("n", FieldType.INT, false)),
                new KeySpec.Dimensions(List.of(dimensions), List.of()),
                "t");
    }

    private static Dimension open(String field, int bits) {
        return new Dimension(field, bits, List.of(), List.of());
    }

    private static TupleBlock rows(Schema schema, List<String> lines) throws Exception {
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 0);
        RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
        for (String line : lines) {
            decoder.decode(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)), block);
        }
        return block;
    }

    private static Schema learned(Schema draft, List<String> lines) throws Exception {
        DimensionLearner learner = new DimensionLearner(draft);
        learner.add(rows(draft, lines));
        return learner.learned();
    }

    /** Half of the rows are of one kind, which gets a cell of its own; heights are about evenly many in each cell. */
    @Test
    void cellsHoldAboutAsManyRows() throws Exception {
        List<String> lines = new ArrayList<>();
        Random random = new Random(1);
        for (int i = 0; i < 8000; i++) {
            String kind = i % 2 == 0 ? "often" : "rare" + (i % 50);
            lines.add(i + "," + kind + "," + (i % 10 == 0 ? "" : Math.exp(random.nextGaussian())) + "," + i % 4);
        }
        Schema learned = learned(draft(open("kind", 2), open("height", 0), open("n", 0)), lines);
        KeySpec.Dimensions key = (KeySpec.Dimensions) learned.key();
        assertThat(key.dimensions().get(0))
                .isEqualTo(new Dimension("kind", 2, List.of(), List.of("rare1", "rare25", "rare39")));
        assertThat(key.dimensions().get(1).bits()).isEqualTo(6);
        assertThat(key.dimensions().get(1).cuts()).hasSize(62);
        assertThat(key.dimensions().get(2)).isEqualTo(new Dimension("n", 2, List.of(), List.of("1", "2", "3")));
        assertThat(key.schedule())
                .as("texts of few values first, numbers in turn")
                .containsExactly("kind", "kind", "height", "n", "height", "n", "height", "height", "height", "height");
        TupleBlock block = rows(learned, lines);
        KeyMaker.of(block.layout(), learned).fill(block, 0, (row, reason) -> {});
        int[] byHeight = new int[64];
        for (int row = 0; row < block.size(); row++) {
            int bits = (int) block.keys()[row];
            byHeight[((bits >> 2) & 32) | ((bits >> 1) & 16) | (bits & 15)]++;
        }
        assertThat(byHeight[0]).as("nulls").isEqualTo(800);
        assertThat(Arrays.stream(byHeight).skip(1).boxed())
                .allSatisfy(rows -> assertThat(rows).isBetween(80, 150));
    }

    /** A value that half of the rows have, such as 9999 for a missing one, leaves the others evenly divided. */
    @Test
    void valuesThatManyRowsHaveAreSetApart() throws Exception {
        Random random = new Random(4);
        for (int trial = 0; trial < 60; trial++) {
            double[] often = new double[trial == 0 ? 1 : 1 + random.nextInt(5)];
            for (int i = 0; i < often.length; i++) {
                often[i] = trial == 0 ? 9999 : random.nextInt(3) * 1000 - 1000 + random.nextInt(1000) + 0.25;
            }
            List<Double> heights = new ArrayList<>();
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 8000; i++) {
                boolean rare = i % 2 == 0;
                double height = rare ? random.nextDouble() * 1000 : often[random.nextInt(often.length)];
                lines.add(i + ",k" + i % 2 + "," + height + ",1");
                if (rare) {
                    heights.add(height);
                }
            }
            KeySpec.Dimensions key = (KeySpec.Dimensions)
                    learned(draft(open("kind", 1), open("height", 6)), lines).key();
            double[] cuts = key.dimensions().get(1).cuts().stream()
                    .mapToDouble(Double::parseDouble)
                    .toArray();
            int[] cells = new int[cuts.length + 1];
            for (double height : heights) {
                int cell = Arrays.binarySearch(cuts, height);
                cells[cell < 0 ? -cell - 1 : cell + 1]++;
            }
            double least = Math.min(0, Arrays.stream(often).min().orElseThrow());
            for (double value : often) {
                // The first cell begins at no cut.
                assertThat(value == least || Arrays.binarySearch(cuts, value) >= 0)
                        .as("trial %s, %s", trial, value)
                        .isTrue();
            }
            // 62 cuts: null has a cell, too.
            int fair = heights.size() / (63 - often.length);
            assertThat(Arrays.stream(cells).max().orElseThrow())
                    .as("trial %s, %s", trial, Arrays.toString(often))
                    .isLessThan(fair * 7 / 4);
        }
    }

    /** Fewer values than twice the cells, each of which one row has: no value is heavy, and no cell has many. */
    @Test
    void fewValuesAreDividedEvenly() throws Exception {
        for (int count : new int[] {64, 100, 127, 200}) {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                lines.add(i + ",k" + i % 2 + "," + i + ",1");
            }
            KeySpec.Dimensions key = (KeySpec.Dimensions)
                    learned(draft(open("kind", 1), open("height", 6)), lines).key();
            List<String> cuts = key.dimensions().get(1).cuts();
            for (int c = 0; c <= cuts.size(); c++) {
                double from = c == 0 ? 0 : Double.parseDouble(cuts.get(c - 1));
                double to = c == cuts.size() ? count : Double.parseDouble(cuts.get(c));
                assertThat(to - from).as("%s values, %s", count, cuts).isBetween(1.0, 5.0);
            }
        }
    }

    @Test
    void whatIsSaidIsNotLearned() throws Exception {
        Dimension said = new Dimension("n", 3, List.of("0", "7"), List.of());
        Schema learned = learned(draft(said, open("kind", 0)), List.of("1,a,,5", "2,b,,5"));
        assertThat(((KeySpec.Dimensions) learned.key()).dimensions())
                .containsExactly(said, new Dimension("kind", 1, List.of(), List.of("b")));
    }

    /** Half of the rows have each: as floats they are not what they are as doubles. */
    @Test
    void cutsOfFloatsLieAtTheirValues() throws Exception {
        Schema draft = new Schema(
                List.of(
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("share", FieldType.FLOAT, false),
                        new Field("n", FieldType.INT, false)),
                new KeySpec.Dimensions(List.of(open("share", 1), open("n", 1)), List.of()),
                "t");
        List<String> lines = List.of("1,0.6,5", "2,0.7,6");
        Schema learned = learned(draft, lines);
        assertThat(((KeySpec.Dimensions) learned.key()).dimensions().get(0).cuts())
                .containsExactly("0.7");
        TupleBlock block = rows(learned, lines);
        KeyMaker.of(block.layout(), learned).fill(block, 0, (row, reason) -> {});
        assertThat(Arrays.copyOf(block.keys(), 2)).containsExactly(0, 3);
    }

    /** A kind is asked for by one of its values, whoever said what its cells are. */
    @Test
    void kindsComeFirstAlsoWhereTheirCellsAreSaid() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            lines.add(i + "," + (i % 2 == 0 ? "a" : "b") + "," + i + ",1");
        }
        Dimension said = new Dimension("kind", 0, List.of(), List.of("b"));
        Schema learned = learned(draft(open("height", 2), said), lines);
        assertThat(((KeySpec.Dimensions) learned.key()).schedule()).containsExactly("kind", "height", "height");
    }

    @Test
    void aFieldOfOneValueIsSaidSo() {
        assertThatThrownBy(() -> learned(draft(open("kind", 0), open("n", 0)), List.of("1,a,,5", "2,b,,5")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("dimension 'n': all rows have the same value, '5', so it divides nothing: leave it out, or"
                        + " give range: [LO, HI]");
        assertThatThrownBy(() -> learned(draft(open("kind", 0), open("height", 0)), List.of("1,a,,5", "2,b,NaN,5")))
                .hasMessage(
                        "dimension 'height': no row has a finite value, so it divides nothing: leave it out, or give"
                                + " range: [LO, HI]");
    }

    @Test
    void textsThatAreTheSameForTooLongAreSaidSo() {
        String same = "https://" + "a".repeat(56);
        assertThatThrownBy(() -> learned(
                        draft(open("kind", 0), open("n", 0)), List.of("1," + same + "b,,5", "2," + same + "c,,6")))
                .hasMessage(
                        "dimension 'kind': all values have the same first 64 bytes, '" + same + "', and no more of a"
                                + " value is in a key, so no cuts divide them: leave it out, or say 'indexed: true' of the"
                                + " field");
        assertThatThrownBy(() -> learned(
                        draft(open("kind", 0), open("n", 0)), List.of("1,https://a.org,,5", "2,https://a.org,,6")))
                .hasMessage("dimension 'kind': all rows have the same value, 'https://a.org', so it divides nothing:"
                        + " leave it out, or give cuts: [VALUE, ...]");
    }

    /** As many bytes as it takes: 8 where these do, and 24 where all begin with 20 that are the same. */
    @Test
    void textsThatBeginAlikeAreToldApartByWhatFollows() throws Exception {
        Random random = new Random(1);
        for (String beginning : List.of("", "https://example.org/", "https://\u00fcber.example/")) {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 8000; i++) {
                String word = Integer.toString(46_656 + random.nextInt(1_000_000), 36);
                lines.add(i + "," + (i % 100 == 0 ? "" : beginning) + word + ",," + i % 3);
            }
            Schema learned = learned(draft(open("kind", 5), open("n", 0)), lines);
            KeySpec.Dimensions key = (KeySpec.Dimensions) learned.key();
            assertThat(key.dimensions().get(0).bytes()).isEqualTo(beginning.isEmpty() ? 0 : 24);
            assertThat(key.dimensions().get(0).cuts()).hasSize(31).allMatch(cut -> cut.startsWith(beginning));
            TupleBlock block = rows(learned, lines);
            KeyMaker.of(block.layout(), learned).fill(block, 0, (row, reason) -> {});
            KeyDimensions dimensions = KeyDimensions.of(learned);
            int[] cells = new int[32];
            for (int row = 0; row < block.size(); row++) {
                cells[dimensions.number(0, block.keys()[row])]++;
            }
            assertThat(Arrays.stream(cells).boxed())
                    .allSatisfy(rows -> assertThat(rows).isBetween(150, 400));
        }
    }

    /** Eight bytes end within the third character; cuts tell its values apart all the same, by as many of its bytes. */
    @Test
    void cutsThatEndWithinACharacterDivide() throws Exception {
        for (int bytes : new int[] {0, 8, 64}) {
            String beginning = bytes == 64 ? "x".repeat(62) : "\u6771\u4eac";
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 8000; i++) {
                String rest = (char) (0x4e00 + i * 7919 % 20_000) + (i % 3 == 0 ? "" : "\ud83d\ude00");
                lines.add(i + "," + beginning + rest + ",," + i % 3);
            }
            Schema learned = learned(draft(new Dimension("kind", 6, List.of(), List.of(), bytes), open("n", 0)), lines);
            KeySpec.Dimensions key = (KeySpec.Dimensions) learned.key();
            assertThat(key.dimensions().get(0).cuts()).hasSize(63);
            TupleBlock block = rows(learned, lines);
            KeyMaker.of(block.layout(), learned).fill(block, 0, (row, reason) -> {});
            KeyDimensions dimensions = KeyDimensions.of(learned);
            int[] cells = new int[64];
            for (int row = 0; row < block.size(); row++) {
                cells[dimensions.number(0, block.keys()[row])]++;
            }
            assertThat(Arrays.stream(cells).boxed())
                    .allSatisfy(rows -> assertThat(rows).isBetween(60, 250));
        }
    }

    /** 62 hosts, which 16 bytes tell apart, and many pages of each: ranges are asked for, too. */
    @Test
    void pagesOfFewHostsAreNoKinds() throws Exception {
        for (int bytes : new int[] {0, 16}) {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 8000; i++) {
                String host = Integer.toString(10 + i % 62);
                lines.add(i + ",https://h" + host + ".example.org/pages/" + i + "," + i % 3000 + ",1");
            }
            Dimension pages = new Dimension("kind", 0, List.of(), List.of(), bytes);
            KeySpec.Dimensions key = (KeySpec.Dimensions)
                    learned(draft(pages, open("height", 0)), lines).key();
            assertThat(key.dimensions().get(0).bits()).isEqualTo(6);
            assertThat(key.schedule()).startsWith("kind", "height", "kind", "height");
        }
    }

    /** 15 of 16 rows have the same number: its bits tell little apart, and those of the height come first. */
    @Test
    void aDimensionThatTellsLittleApartIsLast() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            lines.add(i + ",a," + i + "," + (i % 16 == 0 ? i / 16 % 8 : 8));
        }
        Schema learned = learned(draft(open("n", 3), open("height", 2)), lines);
        assertThat(((KeySpec.Dimensions) learned.key()).schedule()).containsExactly("height", "height", "n", "n", "n");
    }

    /** The highest bit is that of one value of 17: alone it tells little, all bits together much. */
    @Test
    void aDimensionOfEvenCellsTakesItsTurn() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 17 * 50; i++) {
            lines.add(i + ",a," + i + "," + i % 17);
        }
        Schema learned = learned(draft(open("n", 5), open("height", 2)), lines);
        assertThat(((KeySpec.Dimensions) learned.key()).schedule())
                .containsExactly("n", "height", "n", "height", "n", "n", "n");
    }

    /** Three of the number's bits are enough for its eight values; later scales may need the other two. */
    @Test
    void bitsOfNoCellTakeTheirTurns() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            lines.add(i + ",a," + i + "," + i % 8);
        }
        Schema learned = learned(draft(open("n", 5), open("height", 2)), lines);
        assertThat(((KeySpec.Dimensions) learned.key()).schedule())
                .containsExactly("n", "height", "n", "height", "n", "n", "n");
    }

    /** A speed of 20 values has 12 bits, and more values later: a range of the height still meets few leaves. */
    @Test
    void cellsOfLaterScalesLeaveOthersTheirTurns() throws Exception {
        Random random = new Random(1);
        Schema draft = draft(open("n", 12), open("height", 6));
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            lines.add(i + ",a," + random.nextInt(10_000) + "," + random.nextInt(20));
        }
        Schema learned = learned(draft, lines);
        lines.clear();
        for (int i = 0; i < 20_000; i++) {
            lines.add(i + ",a," + random.nextInt(10_000) + "," + random.nextInt(100_000));
        }
        TupleBlock later = rows(draft, lines);
        ScaleChange change = ScaleChange.learn(learned, later);
        KeySpec.Dimensions key = (KeySpec.Dimensions) learned.key();
        Schema scaled = learned.withKey(key.withScales(change.scales()));
        KeyScheme.of(scaled).maker(later.layout(), 2).fill(later, 0, (row, reason) -> {});
        long[] inRange = new long[later.size()];
        for (int row = 0; row < later.size(); row++) {
            double height = LittleEndian.getDouble(later.column(2), row * 8);
            inRange[row] = height >= 5000 && height < 5500 ? later.keys()[row] : Long.MIN_VALUE;
        }
        long[] keys = Arrays.copyOf(later.keys(), later.size());
        Arrays.sort(keys);
        assertThat(Arrays.stream(inRange)
                        .filter(at -> at != Long.MIN_VALUE)
                        .map(at -> Arrays.binarySearch(keys, at) * 200L / keys.length)
                        .distinct()
                        .count())
                .as("leaves of 200")
                .isBetween(5L, 40L);
    }

    /** The two of a place have four bits where others have three. */
    @Test
    void aPlaceHasBitsMoreOften() throws Exception {
        List<Field> fields = new ArrayList<>(List.of(new Field("t", FieldType.TIMESTAMP, false)));
        for (String name : List.of("z", "x", "y")) {
            fields.add(new Field(name, FieldType.DOUBLE, false));
        }
        List<Dimension> dimensions = List.of(open("z", 4), open("x", 4), open("y", 4));
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 90; i++) {
            lines.add(i + "," + i + "," + i + "," + i);
        }
        Schema learned = learned(
                new Schema(fields, new KeySpec.Dimensions(dimensions, List.of(), List.of("x", "y")), "t"), lines);
        assertThat(((KeySpec.Dimensions) learned.key()).schedule())
                .containsExactly("x", "y", "z", "x", "y", "z", "x", "y", "x", "y", "z", "z");
        assertThat(((KeySpec.Dimensions) learned.key()).position()).containsExactly("x", "y");
    }

    /** Beside the one cut of the kind there is room for 16,383 of the height's. */
    @Test
    void asManyCutsAreLearnedAsThereIsRoomFor() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            lines.add(i + "," + (i % 2 == 0 ? "a" : "b") + "," + i * 0.5 + ",1");
        }
        for (int bits = 12; bits <= 14; bits++) {
            Schema learned = learned(draft(open("height", bits), open("kind", 0)), lines);
            KeySpec.Dimensions key = (KeySpec.Dimensions) learned.key();
            assertThat(key.dimensions().get(0).bits()).isEqualTo(bits);
            assertThat(key.dimensions().get(0).cuts()).hasSize((1 << bits) - 2);
            assertThat(key.dimensions().get(1).cuts()).containsExactly("b");
        }
        assertThat(DimensionSample.shared(new int[] {4095, 15, 0, 2047}, 4096)).containsExactly(2040, 15, 0, 2040);
        assertThat(DimensionSample.shared(new int[] {7, 3}, 10)).containsExactly(7, 3);
        assertThat(DimensionSample.shared(new int[] {7, 3, 0}, -5)).containsExactly(1, 1, 0);
    }

    /** Any rows of any types make a key that a stream can be created with, or a sentence. */
    @Test
    void randomRowsMakeAKey() throws Exception {
        for (long seed = 0; seed < Rounds.of(30, 2000); seed++) {
            Random random = new Random(seed);
            List<Field> fields = new ArrayList<>();
            fields.add(new Field("t", FieldType.TIMESTAMP, false));
            List<Dimension> dimensions = new ArrayList<>();
            for (FieldType type : FieldType.values()) {
                if (dimensions.size() < 8 && random.nextInt(4) > 0) {
                    boolean nullable = random.nextBoolean();
                    fields.add(new Field("f" + type.schemaName(), type, nullable));
                    dimensions.add(open(
                            "f" + type.schemaName(), random.nextBoolean() ? 0 : random.nextInt(nullable ? 2 : 1, 8)));
                }
            }
            Schema draft = new Schema(fields, new KeySpec.Dimensions(dimensions, List.of()), "t");
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                lines.add(RandomRows.csv(draft, RandomRows.row(draft, random), random));
            }
            Schema learned = learned(draft, lines);
            TupleBlock block = rows(learned, lines);
            assertThat(KeyMaker.of(block.layout(), learned).fill(block, 0, (row, reason) -> {}))
                    .as("seed %s", seed)
                    .isZero();
            assertThat(Arrays.stream(block.keys()).limit(200).distinct().count())
                    .as("seed %s", seed)
                    .isGreaterThan(20);
        }
    }
}
