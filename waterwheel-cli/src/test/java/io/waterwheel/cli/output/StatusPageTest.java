package io.waterwheel.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.status.StatusJson;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusPageTest {
    private static StatusPage.Look look(String json, double seconds) {
        return new StatusPage.Look(StatusJson.read(json), (long) (seconds * 1e9));
    }

    private static String stream(long memory, long chunks, String rest) {
        return "{\"streams\":[{\"name\":\"s\",\"topic\":\"t\",\"partitions\":2,\"chunkTuples\":" + chunks
                + ",\"chunks\":3,\"chunkBytes\":2097152,\"indexers\":[{\"indexer\":0,\"tuples\":" + memory
                + ",\"rejected\":6}" + rest + "}]}";
    }

    @Test
    void showsRatesAndLagsAndThatAllIsWell() {
        String sources = "],\"sources\":[{\"partition\":0},{\"partition\":1,\"indexed\":3,\"logEnd\":10}]";
        List<String> lines = StatusPage.of(look(stream(1500, 1000, sources), 12), look(stream(500, 1000, sources), 10));
        assertThat(lines.get(1).strip().split(" +"))
                .containsExactly("s", "2,500", "1,500", "1,000", "3", "2.0", "MiB", "7", "500", "6");
        assertThat(lines).contains("  partition 1: indexed below 3 of 10, lag 7", "all is well");
        assertThat(StatusPage.of(look("{\"streams\":[]}", 1), look("{\"streams\":[]}", 0)))
                .containsExactly("there are no streams");
    }

    @Test
    void listsGateways() {
        String gateways = "\"gateways\":[{\"place\":\"a:7071\",\"version\":\"0.2.0\",\"startedMillis\":1700000000123},"
                + "{\"place\":\"b:7071\"}]";
        List<String> sentences = List.of("gateway a:7071, version 0.2.0, since 2023-11-14T22:13:20Z", "gateway b:7071");
        StatusPage.Look some =
                look(stream(0, 0, "],\"sources\":[{},{}]").replace("{\"streams\"", "{" + gateways + ",\"streams\""), 1);
        assertThat(StatusPage.of(some, some)).containsSubsequence(sentences).endsWith("", "all is well");
        StatusPage.Look none = look("{" + gateways + "}", 1);
        assertThat(StatusPage.of(none, none))
                .containsExactly("there are no streams", sentences.get(0), sentences.get(1));
    }

    @Test
    void showsOneStream() {
        StatusPage.Look both = look(
                "{\"gateways\":[{\"place\":\"a:7071\"}],\"streams\":[{\"name\":\"s\",\"topic\":\"t\"},"
                        + "{\"name\":\"u\",\"topic\":\"u\",\"troubles\":[\"x\"]}]}",
                1);
        StatusPage.Look one = new StatusPage.Look(both.report().only("s"), both.nanos());
        assertThat(StatusPage.of(one, one))
                .anyMatch(line -> line.startsWith("s "))
                .endsWith("", "all is well");
        StatusPage.Look other = new StatusPage.Look(both.report().only("u"), both.nanos());
        assertThat(StatusPage.of(other, other)).contains("  u: x").noneMatch(line -> line.startsWith("s "));
    }

    /** Answers are as right as ever: all is well. */
    @Test
    void saysWhichDimensionsCrowd() {
        String json = stream(
                0,
                0,
                "],\"sources\":[{},{}],\"dimensions\":[{\"field\":\"height\",\"cells\":64,\"used\":3.25,\"crowded\":true},"
                        + "{\"field\":\"speed\",\"cells\":64,\"used\":50,\"crowded\":false}]");
        List<String> lines = StatusPage.of(look(json, 1), look(json, 1));
        assertThat(lines)
                .contains(
                        "  dimension height: the newest tuples use 3.3 of 64 cells, so it narrows little"
                                + " (docs/dimensions.md, When the data moves on)",
                        "all is well");
        assertThat(lines).noneMatch(line -> line.contains("speed"));
    }

    @Test
    void saysWhatIsWrongWithAStreamAsAWholeAndWithNone() {
        String json = stream(0, 0, "],\"troubles\":[\"cannot be answered from: x\"],\"sources\":[{},{}]")
                .replace("{\"streams\"", "{\"troubles\":[\"edits cannot be rolled up\"],\"streams\"");
        List<String> lines = StatusPage.of(look(json, 1), look(json, 1));
        assertThat(lines).contains("  2 partitions of topic t, none lags");
        assertThat(lines.subList(lines.indexOf("NOT WELL:") + 1, lines.size()))
                .containsExactly("  edits cannot be rolled up", "  s: cannot be answered from: x");
    }

    @Test
    void saysWhatIsNotWellAndWhy() {
        String json = stream(
                0,
                0,
                ",{\"indexer\":5,\"recovering\":true},"
                        + "{\"indexer\":6,\"memoryUsed\":96000000,\"memoryLimit\":100000000,\"unflushedTrees\":2}],"
                        + "\"sources\":[{\"partition\":0,\"trouble\":\"topic t is gone\",\"deadLetters\":4}],"
                        + "\"lost\":[{\"partition\":1,\"from\":5,\"to\":9,\"reason\":\"set by hand\"}]");
        List<String> lines = StatusPage.of(look(json, 1), look(json, 1));
        assertThat(lines.subList(lines.indexOf("NOT WELL:") + 1, lines.size()))
                .containsExactly(
                        "  s, partition 0 stands still: topic t is gone",
                        "  s: nothing is heard yet of 1 partitions; a moment after the start this is usual",
                        "  s, indexer 5 recovers: complete answers wait until it has read what it had before",
                        "  s, indexer 6: 91 of 95 MiB of memory used, 2 trees wait to be written, and reading for them."
                                + " Is the chunk store slow or full?",
                        "  s, partition 1: offsets 5 to 8 are lost (set by hand)",
                        "  s: 4 records since the start could not become tuples: 'waterwheel dead-letters s' shows"
                                + " them");
        assertThat(lines.get(1)).endsWith("           -            6");
        assertThat(lines).contains("  2 partitions of topic t, 1 heard of, none lags");
    }
}
