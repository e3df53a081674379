package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.StreamQuery;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.Rescaling;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.ScaleVersion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** A stream whose rows move on: the scales of its key are changed twice, and each answer is that of a plain list. */
final class ScalesThatChange implements AutoCloseable {
    private static final int ROWS = 3_000;

    private record Row(long id, double place, long count, String kind, Instant time) {}

    private final WaterwheelClient client;
    private final KeptInDecimals.Command command;
    private final Path folder;
    private final Random random = new Random(11);
    private final List<Row> all = new ArrayList<>();
    private Map<Integer, Long> positions = Map.of();

    ScalesThatChange(WaterwheelClient client, KeptInDecimals.Command command, Path folder) {
        this.client = client;
        this.command = command;
        this.folder = folder;
        client.createStream(new StreamDefinition(
                "moving",
                "moving",
                RecordFormat.CSV,
                2,
                new Schema(
                        List.of(
                                new Field("id", FieldType.LONG, false),
                                new Field("place", FieldType.DOUBLE, false),
                                new Field("count", FieldType.LONG, true),
                                new Field("kind", FieldType.STRING, false),
                                new Field("t", FieldType.TIMESTAMP, false)),
                        new KeySpec.Dimensions(
                                List.of(
                                        new Dimension("place", 4, List.of("0", "100"), List.of()),
                                        new Dimension("count", 4, List.of(), cuts(15, 100)),
                                        new Dimension("kind", 2, List.of(), List.of("a0", "a1", "a2"))),
                                List.of()),
                        "t"),
                StreamPolicy.DEFAULT));
    }

    private static List<String> cuts(int count, int step) {
        List<String> cuts = new ArrayList<>();
        for (int i = 1; i < count; i++) {
            cuts.add(String.valueOf(i * step));
        }
        return cuts;
    }

    @Override
    public void close() {
        client.drop("moving");
    }

    /** Rows of a phase; those of later ones lie beyond the cuts of earlier ones. Some are late. */
    private void append(int phase) {
        try (Appender appender = client.appender("moving")) {
            for (int i = 0; i < ROWS; i++) {
                Row row = new Row(
                        all.size(),
                        1000 * phase + 100 * random.nextDouble(),
                        5000L * phase + random.nextInt(1500),
                        (char) ('a' + phase) + String.valueOf(random.nextInt(4)),
                        Instant.ofEpochMilli(1_700_000_000_000L
                                + 3_600_000L * (random.nextInt(10) == 0 ? random.nextInt(phase + 1) : phase)
                                + random.nextInt(60_000)));
                all.add(row);
                appender.append(
                        row.id(), row.place(), row.count() % 7 == 0 ? null : row.count(), row.kind(), row.time());
            }
            positions = appender.flush();
        }
    }

    /** New scales hold from the partitions' limits on, which a burst of rows has raised. */
    private void appendUntilKeyedBy(int scales, int phase) {
        Query keyed = Query.of("moving")
                .withKeys(List.of(new KeyInterval(ScaleVersion.prefix(scales), ScaleVersion.prefix(scales + 1) - 1)));
        long rows = 0;
        for (int more = 0; rows == 0; more++) {
            assertThat(more).as("times that rows were added").isLessThan(100);
            append(phase);
            rows = client.count(keyed.withAtLeast(positions));
        }
        assertThat(rows).isLessThan(all.size());
    }

    private void compare(String when) {
        for (int i = 0; i < 25; i++) {
            double place = random.nextInt(3) * 1000 + 110 * random.nextDouble() - 5;
            double wide = place + 60 * random.nextDouble();
            long count = 5000L * random.nextInt(3) + random.nextInt(1500);
            boolean byPlace = random.nextInt(3) != 0;
            boolean byCount = random.nextBoolean();
            String kind = (char) ('a' + random.nextInt(3)) + "" + random.nextInt(4);
            boolean byKind = random.nextInt(3) == 0;
            StreamQuery query = client.query("moving").atLeast(positions).select("id");
            query = byPlace ? query.range("place", place, wide) : query;
            query = byCount ? query.range("count", count, count + 400) : query;
            query = byKind ? query.where("kind = '" + kind + "'") : query;
            Set<Long> expected = all.stream()
                    .filter(row -> !byPlace || (row.place() >= place && row.place() <= wide))
                    .filter(row ->
                            !byCount || (row.count() % 7 != 0 && row.count() >= count && row.count() <= count + 400))
                    .filter(row -> !byKind || row.kind().equals(kind))
                    .map(Row::id)
                    .collect(Collectors.toSet());
            List<Long> got = new ArrayList<>();
            try (Cursor cursor = query.rows()) {
                while (cursor.next()) {
                    got.add(cursor.getLong(0));
                }
                assertThat(cursor.verdict().complete()).as(when).isTrue();
            }
            assertThat(got).as(when).hasSize(expected.size());
            assertThat(new HashSet<>(got)).as(when).isEqualTo(expected);
        }
    }

    void everyAnswerIsThatOfAList() throws Exception {
        append(0);
        compare("by the first scales");
        // Nothing of it crowds, and what is learned is other cuts.
        assertThat(client.rescale("moving", List.of(), 0, true).routingVersion())
                .isZero();
        assertThat(client.describe("moving").scales()).isEqualTo(1);
        append(1);
        compare("beyond the first scales");
        Rescaling second = client.rescale("moving", List.of(), 0, false);
        assertThat(second.scales()).isEqualTo(2);
        assertThat(second.gains().get(1).after())
                .isGreaterThan(second.gains().get(1).before());
        compare("changed, and nothing came since");
        appendUntilKeyedBy(2, 1);
        compare("in memory by both");
        client.flush("moving", Duration.ofMinutes(5), positions);
        compare("in chunks by both");
        append(2);
        compare("beyond the second scales");
        refused(second);
        CliResult dry = command.run("", "stream", "rescale", "moving", "--dry-run");
        assertThat(dry.code()).as(dry.err()).isZero();
        assertThat(dry.out()).contains("scales of version 3").contains("place");
        Path file = folder.resolve("moving.csv");
        Files.writeString(
                file,
                all.subList(all.size() - ROWS, all.size()).stream()
                        .map(row -> row.id() + "," + row.place() + "," + row.count() + "," + row.kind() + ","
                                + row.time().toEpochMilli())
                        .collect(Collectors.joining("\n", "id,place,count,kind,t\n", "\n")));
        CliResult asks = command.run("", "stream", "rescale", "moving", "--like", file.toString());
        assertThat(asks.code()).isEqualTo(2);
        assertThat(asks.err()).contains("--dry-run says, then say --yes");
        CliResult done = command.run("", "stream", "rescale", "moving", "--like", file.toString(), "--yes");
        assertThat(done.code()).as(done.err()).isZero();
        assertThat(done.err()).contains("version 3 of the scales is in force for later rows");
        appendUntilKeyedBy(3, 2);
        append(1);
        compare("through three scales");
        client.flush("moving", Duration.ofMinutes(5), positions);
        compare("in chunks of three scales");
        CliResult verified = command.run("", "verify", "moving");
        assertThat(verified.code()).as(verified.out() + verified.err()).isZero();
        // A change of the routing by hand goes on by the same scales.
        client.setIndexers("moving", 3);
        append(2);
        compare("divided between others");
        client.flush("moving", Duration.ofMinutes(5), positions);
        compare("in chunks of others");
        StreamDetails details = client.describe("moving");
        assertThat(details.scales()).isEqualTo(3);
        assertThat(details.newest().schema()).isNotEqualTo(details.definition().schema());
        CliResult described = command.run("", "stream", "describe", "moving");
        assertThat(described.out()).contains("# with version 3 of the scales of its dimensions");
    }

    private void refused(Rescaling second) {
        assertThatThrownBy(() -> client.rescale("moving", second.dimensions(), 0, false))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("stream moving: the scales are those in force: nothing would change");
        assertThatThrownBy(() -> client.rescale("moving", List.of(), 1, false))
                .hasMessageContaining("its scales were changed meanwhile, to version 2");
        List<Dimension> wide = second.dimensions().stream()
                .map(of -> new Dimension(of.field(), of.bits() + 1, of.range(), of.cuts()))
                .toList();
        assertThatThrownBy(() -> client.rescale("moving", wide, 0, true))
                .hasMessageContaining("expected the bits [4, 4, 2], which never change, got [5, 5, 3]");
        assertThatThrownBy(() -> client.rescale("moving", second.dimensions().subList(0, 2), 0, true))
                .hasMessageContaining("expected the dimensions place, count, kind; got place, count");
    }
}
