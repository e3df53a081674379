package io.waterwheel.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Questions about texts that rows of a tree share, and of a chunk, beside a list. */
final class SharedTextsTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("k", FieldType.LONG, false),
                    new Field("name", FieldType.STRING, true),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    @TempDir
    Path folder;

    private final List<String> names = new ArrayList<>();

    @Test
    void answersAreThoseOfAList() throws Exception {
        // Fewer and more than are remembered, and texts that are each another.
        for (int values : new int[] {3, 900, 6000, Integer.MAX_VALUE}) {
            names.clear();
            Random random = new Random(values);
            try (LocalStream stream =
                    LocalStream.open(folder.resolve("of" + values), "s", SCHEMA, LocalSettings.DEFAULT)) {
                for (int part = 0; part < 2; part++) {
                    for (int block = 0; block < 5; block++) {
                        stream.insert(rows(random, values));
                    }
                    check(stream, values + " names, fresh");
                    stream.flush();
                    check(stream, values + " names, flushed");
                }
            }
        }
    }

    private TupleBlock rows(Random random, int values) {
        TupleBlock block = new TupleBlock(RowLayout.of(SCHEMA), 1000);
        for (int row = 0; row < 1000; row++) {
            int number = random.nextInt(values);
            // Those above are longer than what is compared at once, and begin and end alike.
            String name = random.nextInt(20) == 0
                    ? null
                    : number % 5 == 0 ? "" : number % 3 == 0 ? "station-" + number + "-of-many" : "n" + number;
            names.add(name);
            block.keys()[row] = random.nextInt(50);
            block.times()[row] = names.size();
            byte[] text = name == null ? new byte[0] : name.getBytes(UTF_8);
            int column = block.layout().columnOf(1);
            LittleEndian.putLong(block.column(column), row * 8, block.addToArena(text, 0, text.length));
            block.setNullMask(row, name == null ? 1 : 0);
        }
        block.setSize(1000);
        return block;
    }

    private void check(LocalStream stream, String about) throws Exception {
        count(stream, "name LIKE '%1%2%'", about, name -> name.matches(".*1.*2.*"));
        count(stream, "name NOT LIKE '%-of-%'", about, name -> !name.contains("-of-"));
        count(stream, "name = 'n1'", about, name -> name.equals("n1"));
        count(stream, "name <> ''", about, name -> !name.isEmpty());
        count(stream, "name >= 'n5'", about, name -> name.compareTo("n5") >= 0);
        count(stream, "name IN ('n1', 'n2', 'n4', '')", about, name -> List.of("n1", "n2", "n4", "")
                .contains(name));
        // More tests than may remember.
        String many = IntStream.range(10, 40)
                .mapToObj(number -> "name LIKE '%" + number + "%'")
                .collect(Collectors.joining(" OR "));
        count(stream, many, about, name -> IntStream.range(10, 40).anyMatch(n -> name.contains("" + n)));
        groups(stream, about);
    }

    private void count(LocalStream stream, String where, String about, Predicate<String> expected) throws Exception {
        Query query = stream.query().withWhere(where).withCount();
        assertThat(stream.answer(query, block -> true).tuples())
                .as(about + ": " + where)
                .isEqualTo(names.stream()
                        .filter(name -> name != null && expected.test(name))
                        .count());
    }

    private void groups(LocalStream stream, String about) throws Exception {
        Map<String, Long> expected =
                names.stream().collect(Collectors.groupingBy(String::valueOf, TreeMap::new, Collectors.counting()));
        Map<String, Long> found = new TreeMap<>();
        Query query = stream.query()
                .withResult(new ResultSpec.Aggregates(
                        List.of(Aggregate.parse("count(*)")), NamedExpression.fields("name"), null));
        stream.answer(query, block -> {
            for (int row = 0; row < block.size(); row++) {
                @Nullable Object name = block.value(0, row);
                found.merge(String.valueOf(name), ((Number) block.value(1, row)).longValue(), Long::sum);
            }
            return true;
        });
        assertThat(found).as(about).isEqualTo(expected);
    }
}
