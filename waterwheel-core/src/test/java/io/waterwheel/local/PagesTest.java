package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TupleBlock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages of an ordered answer are together the answer; {@code -Dseed=N} repeats the choices. */
final class PagesTest {
    private static final int STREAMS = 30;
    private static final int QUESTIONS = 12;

    @TempDir
    Path folder;

    private Random random = new Random(1);

    @Test
    void pagesTogetherAreTheAnswer() throws Exception {
        long first = Long.getLong("seed", 1);
        long severalPages = 0;
        for (long seed = first; seed < first + STREAMS; seed++) {
            random = new Random(seed);
            SmallRows small = new SmallRows(random, true);
            try (LocalStream stream =
                    LocalStream.open(folder.resolve("s" + seed), "s", small.schema(), LocalSettings.DEFAULT)) {
                for (int q = 0; q < QUESTIONS; q++) {
                    stream.insert(small.block(random.nextInt(200)));
                    if (random.nextInt(3) == 0) {
                        stream.flush();
                    }
                    ResultSpec.Rows wanted = rows(small.schema().fields());
                    String about = "seed " + seed + " question " + q + ": " + wanted;
                    List<List<Object>> whole = new ArrayList<>();
                    answer(stream, wanted, whole);
                    List<List<Object>> pages = new ArrayList<>();
                    PageToken page = null;
                    int number = 0;
                    do {
                        int size = 1 + random.nextInt(random.nextBoolean() ? 5 : 200);
                        int before = pages.size();
                        page = answer(
                                        stream,
                                        new ResultSpec.Rows(wanted.select(), wanted.orderBy(), size).withAfter(page),
                                        pages)
                                .next();
                        int got = pages.size() - before;
                        assertThat(page == null).as(about).isEqualTo(got < size);
                        number++;
                        if (random.nextInt(40) == 0) {
                            // The token does not depend on where rows lie.
                            stream.flush();
                        }
                    } while (page != null);
                    severalPages += number > 2 ? 1 : 0;
                    assertThat(pages).as(about).isEqualTo(whole);
                }
            }
        }
        assertThat(severalPages).isGreaterThan(STREAMS);
    }

    @Test
    void rowsThatComeLaterAreOnAPageOnlyBehindItsBeginning() throws Exception {
        random = new Random(Long.getLong("seed", 1));
        SmallRows small = new SmallRows(random, true);
        List<Order> orders = List.of(new Order("t", false));
        try (LocalStream stream =
                LocalStream.open(folder.resolve("later"), "s", small.schema(), LocalSettings.DEFAULT)) {
            stream.insert(small.block(500));
            List<List<Object>> had = new ArrayList<>();
            PageToken page = answer(stream, new ResultSpec.Rows(List.of(), orders, 250), had)
                    .next();
            List<List<Object>> rest = new ArrayList<>();
            answer(stream, new ResultSpec.Rows(List.of(), orders, Query.NO_LIMIT).withAfter(page), rest);
            assertThat(rest).hasSize(250);
            stream.insert(small.block(300));
            List<List<Object>> later = new ArrayList<>();
            answer(stream, new ResultSpec.Rows(List.of(), orders, Query.NO_LIMIT).withAfter(page), later);
            assertThat(later).hasSizeBetween(250, 550);
            List<List<Object>> missing = new ArrayList<>(rest);
            later.forEach(missing::remove);
            assertThat(missing).as("rows that were there").isEmpty();
        }
    }

    @Test
    void aTokenOfAnotherQueryOrADamagedOneIsRefused() throws Exception {
        random = new Random(1);
        SmallRows small = new SmallRows(random, false);
        List<Order> orders = List.of(new Order("t", false));
        try (LocalStream stream =
                LocalStream.open(folder.resolve("wrong"), "s", small.schema(), LocalSettings.DEFAULT)) {
            stream.insert(small.block(100));
            PageToken page = answer(stream, new ResultSpec.Rows(List.of(), orders, 10), new ArrayList<>())
                    .next();
            assertThat(page).isNotNull();
            ResultSpec.Rows descending = new ResultSpec.Rows(List.of(), List.of(new Order("t", true)), 10);
            assertThatThrownBy(() -> answer(stream, descending.withAfter(page), new ArrayList<>()))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("it is of another query: its stream, fields and order must be the same");
            try (LocalStream other =
                    LocalStream.open(folder.resolve("other"), "o", small.schema(), LocalSettings.DEFAULT)) {
                assertThatThrownBy(() -> answer(
                                other, new ResultSpec.Rows(List.of(), orders, 10).withAfter(page), new ArrayList<>()))
                        .as("of a stream with the same fields")
                        .hasMessageContaining("it is of another query");
            }
            Order byValue = new Order("v", false);
            PageToken ofValues = answer(
                            stream,
                            new ResultSpec.Rows(List.of(NamedExpression.parse("t IS NULL AS v")), List.of(byValue), 10),
                            new ArrayList<>())
                    .next();
            ResultSpec.Rows otherValues =
                    new ResultSpec.Rows(List.of(NamedExpression.parse("t IS NOT NULL AS v")), List.of(byValue), 10);
            assertThatThrownBy(() -> answer(stream, otherValues.withAfter(ofValues), new ArrayList<>()))
                    .as("what a field is computed from belongs to it")
                    .hasMessageContaining("it is of another query");
            byte[] bytes = Base64.getUrlDecoder().decode(page.text());
            ResultSpec.Rows same = new ResultSpec.Rows(List.of(), orders, 10);
            for (int i = 0; i < 2_000; i++) {
                byte[] damaged = Arrays.copyOf(bytes, random.nextInt(bytes.length + 3));
                if (damaged.length > 0) {
                    damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
                }
                String text = Base64.getUrlEncoder().withoutPadding().encodeToString(damaged);
                if (text.isEmpty()) {
                    continue;
                }
                try {
                    answer(stream, same.withAfter(new PageToken(text)), new ArrayList<>());
                } catch (WaterwheelException e) {
                    assertThat(e.getMessage()).contains("not a token that continues the query");
                }
            }
        }
        assertThatThrownBy(() -> new PageToken("a b"))
                .hasMessageContaining("expected a token of at most 100000 letters");
        assertThatThrownBy(() -> new ResultSpec.Rows(List.of(), List.of(), 3).withAfter(new PageToken("a")))
                .hasMessageContaining("pages need an order");
    }

    private Verdict answer(LocalStream stream, ResultSpec.Rows wanted, List<List<Object>> rows) throws Exception {
        return stream.answer(stream.query().withResult(wanted), block -> {
            add(block, rows);
            return true;
        });
    }

    private static void add(TupleBlock block, List<List<Object>> rows) {
        for (int row = 0; row < block.size(); row++) {
            Map<String, Object> values = SmallRows.row(block, row);
            List<Object> texts = new ArrayList<>();
            for (Field field : block.layout().fields()) {
                Object value = values.get(field.name());
                if (value instanceof Double number) {
                    value = number + 0.0; // the zeros are equal, and come in any order
                }
                texts.add(value instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : value + "");
            }
            rows.add(texts);
        }
    }

    /** Some fields, now and then few: then many rows are equal. */
    private ResultSpec.Rows rows(List<Field> fields) {
        List<String> names = new ArrayList<>(fields.stream().map(Field::name).toList());
        Collections.shuffle(names, random);
        Set<Order> orders = new LinkedHashSet<>();
        boolean computed = random.nextInt(3) == 0;
        if (computed && random.nextBoolean()) {
            orders.add(new Order("none", random.nextBoolean()));
        }
        for (int i = random.nextInt(3); i >= 0; i--) {
            orders.add(new Order(names.get(random.nextInt(names.size())), random.nextBoolean()));
        }
        List<NamedExpression> select = new ArrayList<>(NamedExpression.fields(
                names.subList(0, 1 + random.nextInt(names.size())).toArray(String[]::new)));
        if (computed) {
            select.add(NamedExpression.parse(names.get(0) + " IS NULL AS none"));
        }
        return new ResultSpec.Rows(select, List.copyOf(orders), Query.NO_LIMIT);
    }
}
