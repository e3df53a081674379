package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.AppendProgress;
import io.waterwheel.cli.input.CsvCells;
import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.FieldNames;
import io.waterwheel.cli.input.InputFiles;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.Line;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.cli.input.Totals;
import io.waterwheel.cli.losses.Losses;
import io.waterwheel.cli.text.DefinitionYaml;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads files as an append would, and counts the rows that would be rejected. Its examples show what the first rows did
 * not. One thread.
 */
public final class ProposalCheck {
    /** Bytes, as they lie on the disk, of all files. */
    private static final long MOST_BYTES = 4L << 30;

    private static final int MOST_EXAMPLES = 1_000;
    private static final int MOST_EXAMPLE_BYTES = 16 << 20;
    /** Of rows that are tuples, and would lose something. */
    private static final int MOST_LOSSES = 2_000;

    /** One in as many rows is compared with the first. */
    private static final int COMPARED = 64;

    private static final int MOST_SPOILT = 100;
    private static final int MOST_SPOILT_BYTES = 1 << 20;

    private final SchemaProposal proposal;
    private final InputSource proposedOf;
    private final Schema schema;
    private final AppendProgress progress;
    private final Losses losses;
    private final Map<Long, Example> examples = new LinkedHashMap<>();
    private int exampleBytes;
    private int lossExamples;
    private int lossBytes;
    private String lost = "";
    private final List<byte[]> spoilt = new ArrayList<>();
    private int spoiltBytes;
    private @Nullable List<String> header;
    private long rows;
    private long tuples;
    /** Records that are no tuple, and are not rejected either. */
    private long without;

    private long misfits;
    private long bytes;
    private boolean all = true;
    private String first = "";
    /** Of the last file: totals behind its last row, that are no tuples. */
    private int atEnd;

    /** By field: rows that are tuples, in which it is null. */
    private final long[] nulls;
    /** Whether rows have whole numbers there that take more than 32 bits. */
    private final boolean[] wide;
    /** Fields of type {@code long} of which no row had such a number yet. */
    private int[] mayBeNarrow;

    /** By field its first value, where it had no other yet. */
    private final Map<Integer, Object> only = new HashMap<>();

    private final Set<String> varied = new HashSet<>();
    private long nullable;

    private ProposalCheck(SchemaProposal proposal, InputSource proposedOf, Schema schema, AppendProgress progress) {
        this.proposal = proposal;
        this.proposedOf = proposedOf;
        this.schema = schema;
        this.progress = progress;
        this.losses = proposal.losses(schema);
        RowLayout layout = RowLayout.of(schema);
        this.nulls = new long[schema.fields().size()];
        this.wide = new boolean[nulls.length];
        this.mayBeNarrow = IntStream.range(0, nulls.length)
                .filter(f -> schema.fields().get(f).type() == FieldType.LONG)
                .toArray();
        for (int f = 0; f < nulls.length; f++) {
            nullable |= layout.nullBit(f) < 0 ? 0 : 1L << layout.nullBit(f);
        }
    }

    /** A row that does not fit. */
    public static final class Example {
        final byte[] line;
        final RowPlace place;

        Example(byte[] line, RowPlace place) {
            this.line = line;
            this.place = place;
        }
    }

    /**
     * What was found.
     *
     * @param rows that were read
     * @param tuples that they are
     * @param without of them, that have no elements where each element is a tuple
     * @param misfits of them, that would be rejected
     * @param first of the misfits: file, line and reason; empty when there is none
     * @param examples of the misfits, by the number of the row, from 1 over all files: as they stand in the file that
     *     was looked at, or in one with the same columns
     * @param all whether all rows were read
     * @param nulls of each field, by name, that is null in rows that are tuples: how many
     * @param varied fields that have several values, in the rows that were compared: the first of each file, and one of
     *     64 behind it
     * @param wide fields of type {@code long} with numbers that take more than 32 bits
     * @param spoilt the first misfits of CSV, wherever they are
     * @param atEnd totals behind the last row, of CSV
     * @param lost what fields would not keep of rows that are tuples, the first: file, line and what; empty when
     *     nothing
     */
    public record Outcome(
            long rows,
            long tuples,
            long without,
            long misfits,
            String first,
            Map<Long, Example> examples,
            boolean all,
            Map<String, Long> nulls,
            Set<String> varied,
            Set<String> wide,
            List<byte[]> spoilt,
            int atEnd,
            String lost) {}

    /**
     * Reads files.
     *
     * @param files the one that the proposal was made of first
     * @param schema as proposed
     * @throws WaterwheelException when a file has other columns
     */
    public static Outcome of(List<InputSource> files, SchemaProposal proposal, Schema schema, AppendProgress progress)
            throws IOException {
        ProposalCheck check = new ProposalCheck(proposal, files.get(0), schema, progress);
        for (InputSource file : files) {
            check.file(file);
        }
        progress.clear();
        return check.outcome();
    }

    private Outcome outcome() {
        Map<String, Long> lacking = new HashMap<>();
        Set<String> beyond = new HashSet<>();
        for (int f = 0; f < nulls.length; f++) {
            String name = schema.fields().get(f).name();
            if (nulls[f] > 0) {
                lacking.put(name, nulls[f]);
            }
            if (wide[f]) {
                beyond.add(name);
            }
        }
        return new Outcome(
                rows, tuples, without, misfits, first, examples, all, lacking, varied, beyond, spoilt, atEnd, lost);
    }

    private void file(InputSource file) throws IOException {
        try (InputFiles.CountedInput in = new InputFiles.CountedInput(file.open())) {
            file.naming(() -> read(file, in));
            bytes += in.bytes();
        }
    }

    /** Returns whether all of it was read. */
    private boolean read(InputSource file, InputFiles.CountedInput in) throws IOException {
        boolean csv = proposal.format() == RecordFormat.CSV;
        LineCheck check = new LineCheck(proposal.format(), schema, losses);
        List<String> named = proposal.appendColumns();
        try (InputLines lines = new InputLines(in, csv, proposal.encoding())
                .divideBy(schema.text().csv())) {
            lines.arraysAreLines(check.takesArrays());
            proposal.leftOut().of(lines);
            byte[] names = csv && named.isEmpty() ? lines.next() : null;
            List<String> called = names == null
                    ? List.of()
                    : FieldNames.of(CsvColumns.names(names, schema.text().csv()));
            header = header == null ? called : header;
            // Examples are lines as those of the first file.
            CsvColumns likeFirst = called.equals(header)
                    ? null
                    : CsvColumns.like(header, called, schema.text().csv());
            CsvColumns columns = csv
                    ? names != null || named.isEmpty()
                            ? CsvColumns.of(file.name(), names, schema)
                            : CsvColumns.named("--columns", named, schema)
                    : null;
            if (columns != null && proposal.guessesComments()) {
                lines.looksAtComments((text, number) -> requireNoRow(text, number, file, columns));
            }
            atEnd = 0;
            long before = rows;
            for (Line line = lines.read(); line != null; line = lines.read()) {
                if (bytes + in.bytes() > MOST_BYTES) {
                    all = false;
                    break;
                }
                rows++;
                losses.begin(proposal.isBehind(rows));
                Line ordered = columns == null ? line : columns.inOrder(line);
                String refusal =
                        ordered == null ? "another number of columns" : check.refusal(ordered, proposal.facts());
                boolean total = refusal != null
                        && columns != null
                        && Totals.isTotal(line, schema.text().csv());
                atEnd = total ? atEnd + 1 : 0;
                if (refusal != null) {
                    misfit(file.name() + ", line " + lines.lineNumber() + ": " + refusal);
                    keep(line, columns != null, likeFirst, file, lines);
                } else {
                    survey(check.tuples());
                    if ((rows - before) % COMPARED == 1) {
                        compare(check.tuples());
                    }
                }
                if (losses.found()) {
                    lost(line, refusal == null, likeFirst, file, lines);
                }
                if (rows % AppendProgress.CALLS_A_LOOK == 0) {
                    progress.at(rows, misfits);
                }
            }
            return all;
        }
    }

    /** Refuses to guess where a line may as well be a row whose first value begins as comments do. */
    private void requireNoRow(String text, long number, InputSource file, CsvColumns columns) {
        if (!CsvLook.isRemark(text) && CsvCells.of(text, schema.text().csv()).size() == columns.columns()) {
            String sign = text.substring(0, 1);
            throw FileLook.bad(file.name() + ": line " + number + " begins with " + sign
                    + ", as comments do, and has as many values as rows have. Is it a row? --comment none says so;"
                    + " --comment " + sign + " leaves such lines out");
        }
    }

    private RowPlace place(InputSource file, InputLines lines) {
        String name = file == proposedOf ? "" : file.name() + ", ";
        return new RowPlace(name, proposal.countsLines() && !lines.isAvro() ? "line" : "row", lines.lineNumber());
    }

    /** Keeps a misfit where it may show what the file is, while there are few: of millions none is copied then. */
    private void keep(Line line, boolean csv, @Nullable CsvColumns likeFirst, InputSource file, InputLines lines) {
        boolean spoils = csv && spoilt.size() < MOST_SPOILT && spoiltBytes < MOST_SPOILT_BYTES;
        boolean shows = examples.size() - lossExamples < MOST_EXAMPLES && exampleBytes < MOST_EXAMPLE_BYTES;
        if (!spoils && !shows) {
            return;
        }
        if (spoils) {
            byte[] copy = line.copy();
            spoiltBytes += copy.length;
            spoilt.add(copy);
        }
        byte[] example = shows ? example(line, likeFirst) : null;
        if (example != null && proposal.canLookAt(rows, example)) {
            exampleBytes += example.length;
            examples.put(rows, new Example(example, place(file, lines)));
        }
    }

    /** A line as the first file has it; null where it has another number of values than its own file has names. */
    private static byte @Nullable [] example(Line line, @Nullable CsvColumns likeFirst) {
        Line like = likeFirst == null ? line : likeFirst.inOrder(line);
        return like == null ? null : like.copy();
    }

    /** Keeps a row of which fields would lose something; of one that is rejected all is lost, and that is said. */
    private void lost(Line line, boolean taken, @Nullable CsvColumns likeFirst, InputSource file, InputLines lines) {
        if (lost.isEmpty() && taken) {
            lost = file.name() + ", " + place(proposedOf, lines) + ": " + DefinitionYaml.oneLine(losses.first(), "?");
        }
        byte[] example = lossExamples < MOST_LOSSES && lossBytes < MOST_EXAMPLE_BYTES ? example(line, likeFirst) : null;
        if (example != null && !examples.containsKey(rows) && proposal.canLookAt(rows, example)) {
            lossExamples++;
            lossBytes += example.length;
            examples.put(rows, new Example(example, place(file, lines)));
        }
    }

    private void survey(TupleBlock tuples) {
        this.tuples += tuples.size();
        without += tuples.size() == 0 ? 1 : 0;
        for (int row = 0; row < tuples.size(); row++) {
            long lacking = tuples.nullMask(row) & nullable;
            for (int f = 0; lacking != 0 && f < nulls.length; f++) {
                nulls[f] += tuples.isNull(f, row) ? 1 : 0;
            }
            int left = 0;
            for (int i = 0; i < mayBeNarrow.length; i++) {
                int f = mayBeNarrow[i];
                wide[f] = !tuples.isNull(f, row) && isWide(tuples, f, row);
                mayBeNarrow[left] = f;
                left += wide[f] ? 0 : 1;
            }
            if (left < mayBeNarrow.length) {
                mayBeNarrow = Arrays.copyOf(mayBeNarrow, left);
            }
        }
    }

    /** Looks for fields whose values differ. */
    private void compare(TupleBlock tuples) {
        for (int f = 0; f < nulls.length && tuples.size() > 0; f++) {
            String name = schema.fields().get(f).name();
            Object value = varied.contains(name) ? null : tuples.value(f, 0);
            Object first = value == null ? null : only.putIfAbsent(f, value);
            if (first != null && !Objects.deepEquals(first, value)) {
                varied.add(name);
            }
        }
    }

    private static boolean isWide(TupleBlock tuples, int field, int row) {
        int column = tuples.layout().columnOf(field);
        if (column == RowLayout.KEY) {
            return tuples.keys()[row] != (int) tuples.keys()[row];
        }
        byte[] bytes = tuples.column(column);
        int at = row * Long.BYTES;
        int sign = bytes[at + 3] >> 7;
        return bytes[at + 4] != sign || bytes[at + 5] != sign || bytes[at + 6] != sign || bytes[at + 7] != sign;
    }

    private void misfit(String why) {
        misfits++;
        first = first.isEmpty() ? why : first;
    }
}
