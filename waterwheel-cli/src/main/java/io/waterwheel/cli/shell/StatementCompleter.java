package io.waterwheel.cli.shell;

import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;

/** What may come next in a statement: key words, streams, and the fields of streams that the statement names. */
final class StatementCompleter implements Completer {
    private static final List<String> WORDS = List.of(
            ("ALL ALTER AND ANY AS ASC ASOF BETWEEN BY CASE CAST COALESCE COUNT CREATE CROSS CUBE CURRENT_TIMESTAMP DATE_TRUNC DESC"
                            + " DESCRIBE DISTINCT DROP ELSE END EXCEPT EXISTS EXPLAIN ANALYZE FALSE FILTER FIRST FLOOR FORMAT_TIME FROM FULL"
                            + " GROUP HAVING IN INNER INSERT INTERSECT INTERVAL INTO IS JOIN KEY LAST LEFT LIKE LIMIT MATCH_CONDITION MAX"
                            + " MEDIAN MIN NOT NOW NULL NULLS OFFSET ON OR ORDER OUTER OVER PARTITION QUALIFY QUANTILE RIGHT"
                            + " ROLLUP ROW_NUMBER SELECT SET SHOW STREAM STREAMS ST_DWithin ST_MakeEnvelope ST_Point ST_Within SUM THEN"
                            + " TIME TIMESTAMP TIME_BUCKET TRUE UNION USING VALUES WHEN WHERE WITH AVG")
                    .split(" "));
    /** How long what is known of streams is not asked again. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Supplier<Map<String, Schema>> streams;
    private Map<String, Schema> known = Map.of();
    private long askedAt;
    private boolean asked;

    StatementCompleter(WaterwheelClient client) {
        this(() -> {
            Map<String, Schema> all = new TreeMap<>();
            client.listStreams()
                    .forEach(stream -> all.put(
                            stream.definition().name(), stream.definition().schema()));
            return all;
        });
    }

    StatementCompleter(Supplier<Map<String, Schema>> streams) {
        this.streams = streams;
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        for (String word : candidates(line.words())) {
            candidates.add(new Candidate(word));
        }
    }

    /**
     * What may stand in place of the last word.
     *
     * @param words of the line up to the cursor
     */
    List<String> candidates(List<String> words) {
        String last = words.get(words.size() - 1);
        if (words.size() == 1 && last.startsWith("\\")) {
            return SqlShell.COMMANDS;
        } else if (words.get(0).equals("\\format")) {
            return SqlShell.FORMATS;
        } else if (words.get(0).equals("\\d")) {
            return List.copyOf(streams().keySet());
        } else if (words.get(0).startsWith("\\")) {
            return List.of();
        }
        TreeSet<String> names = new TreeSet<>();
        List<String> said = words.subList(0, words.size() - 1).stream()
                .map(word -> word.toLowerCase(Locale.ROOT))
                .toList();
        Map<String, Schema> all = streams();
        names.addAll(all.keySet());
        // SELECT comes before FROM: while no stream is named, fields are those of all.
        boolean named = all.keySet().stream().anyMatch(name -> said.contains(name.toLowerCase(Locale.ROOT)));
        all.forEach((name, schema) -> {
            if (!named || said.contains(name.toLowerCase(Locale.ROOT))) {
                schema.fields().forEach(field -> names.add(field.name()));
            }
        });
        List<String> candidates = new ArrayList<>(names);
        boolean capitals = last.isEmpty() || !last.equals(last.toLowerCase(Locale.ROOT));
        WORDS.forEach(word -> candidates.add(capitals ? word : word.toLowerCase(Locale.ROOT)));
        return candidates;
    }

    private Map<String, Schema> streams() {
        if (!asked || System.nanoTime() - askedAt > FRESH_NANOS) {
            try {
                known = streams.get();
            } catch (WaterwheelException e) {
                // The server is away: its names of before are offered, and the statement will say what is wrong.
                known = Map.copyOf(known);
            }
            asked = true;
            askedAt = System.nanoTime();
        }
        return known;
    }
}
