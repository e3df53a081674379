package io.waterwheel.query.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Walks the registry: a function is tested by being registered. */
final class AggregateFunctionsTest {
    private static final String ARGUMENT = "x";

    /**
     * Random rows are divided between scans; the parts, merged in a random order, are the aggregate of all rows. Each
     * function is asked of each field that it takes.
     */
    @Test
    void partsMergeToTheAggregateOfAllRows() throws Exception {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(75, 20_000); seed++) {
            Random random = new Random(seed);
            SmallRows rows = new SmallRows(random, true);
            RowLayout layout = RowLayout.of(rows.schema());
            List<TupleBlock> blocks = new ArrayList<>();
            for (int b = random.nextInt(5); b >= 0; b--) {
                blocks.add(rows.block(random.nextInt(60)));
            }
            RandomAggregates aggregates = new RandomAggregates(random, layout.fields());
            for (AggregateFunction function : AggregateFunctions.all()) {
                for (Field field : layout.fields()) {
                    if (function.takes(ValueType.of(field.type()))) {
                        check(
                                rows,
                                layout,
                                aggregates.of(function, field, ARGUMENT),
                                blocks,
                                random,
                                "-Dseed=" + seed + " -Dseeds=1: " + function + "(" + field + ")");
                    }
                }
                if (function.ofRows()) {
                    check(
                            rows,
                            layout,
                            new Aggregate(function, List.of(), null, ARGUMENT),
                            blocks,
                            random,
                            "-Dseed=" + seed);
                }
            }
        }
    }

    private static void check(
            SmallRows rows, RowLayout layout, Aggregate aggregate, List<TupleBlock> blocks, Random random, String about)
            throws Exception {
        // count(*) beside it, so that of rows goes through the same states.
        ResultSpec wanted = new ResultSpec.Aggregates(
                List.of(aggregate, new Aggregate(AggregateFunctions.of("count"), List.of(), null, "n")),
                List.of(),
                null);
        Gather gather = Gather.of(wanted, layout, rows.schema(), TimeInterval.ALL, null);
        List<TupleBlock> parts = new ArrayList<>();
        List<Map<String, Object>> all = new ArrayList<>();
        long tuples = 0;
        for (TupleBlock block : blocks) {
            // Each block in up to three scans, by row.
            int scans = 1 + random.nextInt(3);
            int[] scanOf = random.ints(block.size(), 0, scans).toArray();
            for (int scan = 0; scan < scans; scan++) {
                int[] selected = selected(scanOf, scan);
                RowCollector collector = gather.collector(parts::add, Workspace.unhurried());
                collector.add(RowView.of(block), selected, selected.length);
                collector.finish();
            }
            for (int row = 0; row < block.size(); row++) {
                tuples++;
                all.add(SmallRows.row(block, row));
            }
        }
        Collections.shuffle(parts, random);
        PartialMerge merge = gather.merge(Workspace.unhurried());
        for (TupleBlock part : parts) {
            merge.accept(part, block -> true);
        }
        List<TupleBlock> answer = new ArrayList<>();
        Object expected;
        try {
            expected = AggregateOracle.value(aggregate, all, new ExpressionTypes(layout.fields()), "t");
        } catch (ArithmeticException e) {
            assertThatThrownBy(() -> merge.finish(answer::add))
                    .as(about)
                    .isInstanceOfSatisfying(WaterwheelException.class, failure -> assertThat(failure.code())
                            .isEqualTo(ErrorCode.INTEGER_OVERFLOW.name()));
            return;
        }
        merge.finish(answer::add);
        assertThat(answer).as(about).hasSize(1);
        assertThat(answer.get(0).size()).as(about).isEqualTo(1);
        assertThat(text(SmallRows.row(answer.get(0), 0).get(ARGUMENT)))
                .as(about)
                .isEqualTo(text(expected));
        assertThat(SmallRows.row(answer.get(0), 0).get("n")).as(about).isEqualTo(tuples);
    }

    private static int[] selected(int[] scanOf, int scan) {
        int[] rows = new int[scanOf.length];
        int count = 0;
        for (int row = 0; row < scanOf.length; row++) {
            if (scanOf[row] == scan) {
                rows[count++] = row;
            }
        }
        return Arrays.copyOf(rows, count);
    }

    private static String text(Object value) {
        if (value instanceof Double number) {
            return String.valueOf(number + 0.0); // one zero
        }
        return value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value);
    }

    /** docs/queries.md has a row of each, and of no other. */
    @Test
    void theTableOfTheDocumentationNamesEach() throws Exception {
        String page = Files.readString(Path.of("../docs/queries.md"));
        String section = page.substring(page.indexOf("\n## Aggregates"), page.indexOf("\n## The newest of each key"));
        List<String> named = section.lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(2, line.indexOf('|', 2)))
                .flatMap(cell -> Arrays.stream(cell.split(",")))
                .map(cell -> cell.strip().replace("`", ""))
                .filter(Predicate.not(String::isEmpty))
                .distinct()
                .toList();
        assertThat(named)
                .containsExactlyInAnyOrderElementsOf(AggregateFunctions.all().stream()
                        .map(AggregateFunction::name)
                        .toList());
    }

    @Test
    void namesAreFoundInAnyCaseAndOthersRefused() {
        assertThat(AggregateFunctions.of("Avg").name()).isEqualTo("avg");
        assertThatThrownBy(() -> AggregateFunctions.of("mode"))
                .isInstanceOf(WaterwheelException.class)
                .hasMessage("there is no aggregate 'mode'; there are "
                        + AggregateFunctions.names(AggregateFunctions.all()));
        assertThatThrownBy(() -> new Aggregate(AggregateFunctions.of("min"), List.of(), null, "m"))
                .hasMessage("min needs an argument; of * is only count");
    }
}
