package io.waterwheel.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.waterwheel.cli.input.AppendProgress;
import io.waterwheel.cli.input.FileProgress;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.Pace;
import io.waterwheel.cli.input.Rejections;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.proposal.FileFacts;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.decode.BlockCodec;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.SequenceInputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What of a file's lines comes to an appender, and when. */
final class FileAppendTest {
    private static final StreamDefinition BLOCKS = SchemaFile.read("s.yaml", """
            name: s
            format: block
            fields:
              - {name: id, type: int}
              - {name: at, type: timestamp}
              - {name: x, type: double}
              - {name: y, type: double}
              - {name: note, type: string, nullable: true}
            key: {longitude: x, latitude: y}
            time: at
            """);

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final List<List<@Nullable Object>> taken = new ArrayList<>();
    private final Terminal terminal = new Terminal(
            InputStream.nullInputStream(),
            new PrintStream(said, true, UTF_8),
            new PrintStream(said, true, UTF_8),
            false);
    private final Rejections rejections = new Rejections(terminal.err(), OptionalLong.empty());

    private FileAppend append(Pace pace) {
        return append(pace, this::take, null);
    }

    private FileAppend append(Pace pace, Consumer<TupleBlock> taker, FileAppend.@Nullable Named commits) {
        FileAppend.Target target = new FileAppend.Target(
                BLOCKS,
                record -> {
                    throw new AssertionError("a record, to a stream of blocks");
                },
                taker,
                values -> {
                    throw new AssertionError("values, to a stream of blocks");
                });
        return new FileAppend(
                target,
                commits,
                new StallNotice(terminal.err(), () -> "", System::nanoTime),
                terminal,
                rejections,
                new AppendProgress(terminal, "tuples", () -> 0, -1),
                pace);
    }

    private void take(TupleBlock block) {
        for (int row = 0; row < block.size(); row++) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int f = 0; f < BLOCKS.schema().fields().size(); f++) {
                values.add(block.value(f, row));
            }
            taken.add(values);
        }
    }

    private void run(FileAppend append, InputStream in) throws IOException {
        run(append, true, in);
    }

    private void run(FileAppend append, boolean waits, InputStream in) throws IOException {
        append.run("f.csv", waits, in, AppendCommand.Format.CSV, List.of(), false, null, FileFacts.NONE);
    }

    private void run(String file, String text, AppendCommand.Format format, FileFacts facts, FileAppend append)
            throws IOException {
        append.run(file, false, new ByteArrayInputStream(text.getBytes(UTF_8)), format, List.of(), false, null, facts);
    }

    /** Of several files each has totals of its own, or none. */
    @Test
    void totalsAreSaidOfTheirOwnFile() throws Exception {
        FileAppend append = append(Pace.FREE);
        String rows = "id,at,x,y,note\n1,1700000000000,1,2,\n";
        run("a.csv", rows + "Total,,,,1\n", AppendCommand.Format.CSV, FileFacts.NONE, append);
        assertThat(said.toString(UTF_8))
                .contains("the last row of a.csv was rejected: --skip-last 1 leaves out totals");
        said.reset();
        run("b.csv", "id,at,x,y,note\n", AppendCommand.Format.CSV, FileFacts.NONE, append);
        assertThat(said.toString(UTF_8)).doesNotContain("--skip-last");
        run("c.csv", "id,at,x,y,note\nTotal,,,,1\n", AppendCommand.Format.CSV, FileFacts.NONE, append);
        assertThat(said.toString(UTF_8)).contains("the last row of c.csv was rejected: --skip-last 1 leaves");
    }

    /** The names are none of the last rows, however few rows there are; of JSON no line can be left out. */
    @Test
    void rowsAtTheEndAreLeftOut() throws Exception {
        FileFacts last = new FileFacts();
        new CommandLine(last).parseArgs("--skip-last", "2");
        String names = "id,at,x,y,note\n";
        String row = ",1700000000000,1,2,\n";
        FileAppend append = append(Pace.FREE);
        for (int rows = 0; rows <= 3; rows++) {
            String file =
                    names + IntStream.range(0, rows).mapToObj(id -> id + row).collect(Collectors.joining());
            run("f.csv", file, AppendCommand.Format.CSV, last, append);
            assertThat(taken).as("%s rows", rows).hasSize(Math.max(0, rows - 2));
        }
        assertThatThrownBy(() -> run("f.json", "{}\n", AppendCommand.Format.JSON, last, append))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("f.json: --skip-last is for CSV; each object of JSON is a row");
        assertThat(taken).hasSize(1);
    }

    /** Lines that are refused, by the decoder or for their key, leave nothing behind in what is gathered. */
    @Test
    void allRowsThatAreTuplesComeOnceAndInTheirOrder() throws Exception {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            List<List<@Nullable Object>> expected = new ArrayList<>();
            StringBuilder file = new StringBuilder("id,at,x,y,note\n");
            int refused = 0;
            for (int id = 0; id < 2_000; id++) {
                double x = random.nextInt(180);
                String note = random.nextInt(3) == 0 ? "" : "n".repeat(random.nextInt(300));
                int bad = random.nextInt(20);
                file.append(id)
                        .append(",17000000")
                        .append(id % 10)
                        .append(bad == 0 ? "x" : "")
                        .append("0000,")
                        .append(x)
                        .append(',')
                        .append(bad == 1 ? "91" : "45.5")
                        .append(',')
                        .append(note)
                        .append(bad == 2 ? ",more" : "")
                        .append('\n');
                if (bad <= 2) {
                    refused++;
                } else {
                    List<@Nullable Object> row =
                            new ArrayList<>(List.of(id, 1_700_000_000_000L + id % 10 * 10_000L, x, 45.5));
                    row.add(note.isEmpty() ? null : note);
                    expected.add(row);
                }
            }
            taken.clear();
            long before = rejections.count();
            List<Integer> records = new ArrayList<>();
            FileAppend append = append(
                    Pace.FREE,
                    block -> {
                        records.add(BlockCodec.encodedBytes(block, false));
                        take(block);
                    },
                    null);
            boolean waits = random.nextBoolean();
            run(append, waits, new ByteArrayInputStream(file.toString().getBytes(UTF_8)));
            assertThat(taken).as("seed %s", seed).isEqualTo(expected);
            // Of a file all but the last are what an appender takes for a record as it is.
            int most = AppenderSettings.DEFAULT.blockBytes();
            assertThat(records.subList(0, waits ? 0 : records.size() - 1))
                    .as("seed %s", seed)
                    .allSatisfy(bytes -> assertThat(bytes).isBetween(most / 2, most));
            assertThat(append.sent()).as("seed %s", seed).isEqualTo(expected.size());
            assertThat(rejections.count() - before).as("seed %s", seed).isEqualTo(refused);
        }
    }

    /** Lines before the damage count: the same command goes on behind them, or a person does. */
    @Test
    void whatWasReadBeforeDamageIsHandedOn() throws Exception {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(file)) {
            gzip.write("id,at,x,y,note\n".getBytes(UTF_8));
            for (int id = 0; id < 20_000; id++) {
                gzip.write((id + ",1,2,3," + Integer.toHexString(id * 0x9E3779B9) + "\n").getBytes(UTF_8));
            }
        }
        byte[] cut = Arrays.copyOf(file.toByteArray(), file.size() / 2);
        List<Integer> counts = new ArrayList<>();
        for (boolean waits : new boolean[] {true, false}) {
            taken.clear();
            FileAppend append = append(Pace.FREE);
            assertThatThrownBy(() -> run(append, waits, new ByteArrayInputStream(cut)))
                    .hasMessageContaining("cut off or damaged after line");
            assertThat(append.sent()).isEqualTo(taken.size());
            counts.add(taken.size());
        }
        assertThat(counts.get(1)).isEqualTo(counts.get(0)).isGreaterThan(1_000);
    }

    /** Rows of a damaged file that cannot be sent: the failure is the server's, and the damage is not forgotten. */
    @Test
    void damageIsSaidBesideTheFailureToSendWhatWasBeforeIt() throws Exception {
        InputStream cut = new SequenceInputStream(
                new ByteArrayInputStream("id,at,x,y,note\n1,1,2,3,a\n".getBytes(UTF_8)), new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw new EOFException("cut off");
                    }

                    @Override
                    public int read(byte[] into, int offset, int length) throws IOException {
                        throw new EOFException("cut off");
                    }
                });
        FileAppend append = append(
                Pace.FREE,
                block -> {
                    throw new IllegalStateException("the server is away");
                },
                null);
        assertThatThrownBy(() -> run(append, false, cut))
                .hasMessage("the server is away")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .first(STRING)
                        .contains("cut off"));
    }

    @Test
    void onlyRowsThatNobodyWaitsForWaitForOthers() throws Exception {
        InputSource file = InputSource.of(Path.of("f.csv"));
        List<InputSource> piped = InputSource.named("-", InputStream.nullInputStream());
        Duration soon = AppenderSettings.DEFAULT.linger();
        assertThat(AppendCommand.settings(List.of(file, file), false).linger()).isGreaterThan(soon);
        assertThat(AppendCommand.settings(List.of(file), true).linger()).isEqualTo(soon);
        assertThat(AppendCommand.settings(piped, false).linger()).isEqualTo(soon);
    }

    /** As of {@code tail -F}: a row does not wait for the one that is written next. */
    @Test
    void rowsAreHandedOnBeforeMoreIsReadOrWaitedFor() throws Exception {
        List<Integer> takenAtRead = new ArrayList<>();
        InputStream pipe = new InputStream() {
            private final List<String> drops =
                    new ArrayList<>(List.of("id,at,x,y,note\n1,1,2,3,a\n2,1,2", ",3,b\n3,1,2,3,c\n"));

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] into, int from, int length) {
                takenAtRead.add(taken.size());
                if (drops.isEmpty()) {
                    return -1;
                }
                byte[] drop = drops.remove(0).getBytes(UTF_8);
                System.arraycopy(drop, 0, into, from, drop.length);
                return drop.length;
            }
        };
        run(append(Pace.FREE), pipe);
        assertThat(takenAtRead).startsWith(0).endsWith(3).contains(1);
        assertThat(taken).hasSize(3);
    }

    /** The second row is in the buffer, and not due yet: the clock is asked before it is waited for. */
    @Test
    void rowsAreHandedOnBeforeTheNextIsDue() throws Exception {
        List<Integer> takenWhenAsked = new ArrayList<>();
        long[] nanos = {0};
        Pace pace = new Pace(1, () -> {
            takenWhenAsked.add(taken.size());
            // Half a second a look: what is not due at one look is at the next but one.
            return nanos[0] += 500_000_000;
        });
        run(append(pace), new ByteArrayInputStream("id,at,x,y,note\n7,1,2,3,\n8,1,2,3,\n".getBytes(UTF_8)));
        assertThat(taken).hasSize(2);
        int first = takenWhenAsked.indexOf(1);
        assertThat(first).as("%s", takenWhenAsked).isPositive();
        assertThat(takenWhenAsked).as("looks after the first row").hasSizeGreaterThan(first + 1);
    }

    /** What a note says is read has been appended: also in the middle of a file, where rows have gathered. */
    @Test
    void aCommitHasAllRowsThatItsNoteCounts() throws Exception {
        Random random = new Random(1);
        StringBuilder file = new StringBuilder("id,at,x,y,note\n");
        int refused = 0;
        int lines = 0;
        while (file.length() < 36 << 20) {
            boolean bad = random.nextInt(100) == 0;
            refused += bad ? 1 : 0;
            file.append(lines++).append(bad ? ",x" : ",1").append(",2,3,");
            file.append("n".repeat(900 + random.nextInt(100))).append('\n');
        }
        long[] count = {0};
        List<FileProgress.Note> notes = new ArrayList<>();
        FileAppend append = append(
                Pace.FREE, block -> count[0] += block.size(), new FileAppend.Named(Optional.empty(), Map.of(), note -> {
                    FileProgress.Note said = FileProgress.Note.parse(note);
                    notes.add(said);
                    assertThat(said.sent()).isEqualTo(count[0]);
                    assertThat(said.lines() - 1 - said.refused())
                            .as("rows behind the names")
                            .isEqualTo(count[0]);
                    return Map.of(0, count[0]);
                }));
        run(append, new ByteArrayInputStream(file.toString().getBytes(UTF_8)));
        // More where a second goes by between two: a busy machine may stand still.
        assertThat(notes).hasSizeGreaterThanOrEqualTo(3);
        assertThat(notes.get(notes.size() - 1).lines()).isEqualTo(lines + 1L);
        assertThat(count[0]).isEqualTo(lines - refused);
        assertThat(append.committed()).isEqualTo(Map.of(0, count[0]));
    }

    /** A server that is started anew is away for some seconds: that is no reason to end before the time is over. */
    @Test
    void aServerThatIsAwayIsAskedAgain() {
        WaterwheelException away = new WaterwheelException(ErrorCode.SERVER_UNREACHABLE, "away");
        List<Duration> given = new ArrayList<>();
        int[] left = {3};
        assertThat(AppendCommand.<Integer>untilReached(
                        Duration.ofSeconds(60),
                        time -> {
                            given.add(time);
                            if (left[0]-- > 0) {
                                throw away;
                            }
                            return 7;
                        },
                        time -> true))
                .isEqualTo(7);
        assertThat(given).hasSize(4).isSortedAccordingTo(Comparator.reverseOrder());
        assertThatThrownBy(() -> AppendCommand.untilReached(Duration.ZERO, time -> fail(away), time -> true))
                .isSameAs(away);
        assertThatThrownBy(() -> AppendCommand.untilReached(Duration.ofSeconds(60), time -> fail(away), time -> false))
                .isSameAs(away);
        WaterwheelException other = new WaterwheelException(ErrorCode.NO_SUCH_STREAM, "other");
        assertThatThrownBy(() -> AppendCommand.untilReached(Duration.ofSeconds(60), time -> fail(other), time -> true))
                .isSameAs(other);
    }

    private static Integer fail(WaterwheelException why) {
        throw why;
    }
}
