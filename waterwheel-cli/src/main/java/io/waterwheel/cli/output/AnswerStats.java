package io.waterwheel.cli.output;

import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Retention;
import java.io.PrintStream;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What an answer took, for {@code query --stats}. */
public final class AnswerStats {
    private final long begin = System.nanoTime();
    private long first;

    /** The answer has begun. */
    public void begun() {
        first = System.nanoTime();
    }

    /** Says what the answer lacks, may lack for it is old, or has lost; nothing when that is nothing. */
    public static void printMissing(Verdict verdict, PrintStream err) {
        if (!verdict.complete()) {
            err.println("the answer is not complete:");
            verdict.missing().forEach(what -> err.println("  " + what));
        }
        if (!verdict.stale().isEmpty()) {
            err.println("what came lately may not be in the answer yet:");
            verdict.stale().forEach(what -> err.println("  " + what));
        }
        if (!verdict.lost().isEmpty()) {
            err.println("the stream has lost, so that it may be in no answer:");
            verdict.lost().forEach(range -> err.println("  " + range));
        }
    }

    public void print(Verdict verdict, PrintStream err) {
        err.printf(
                Locale.ROOT,
                "answer     %d tuples; began after %.1f ms, ended after %.1f ms, as this command saw it%n",
                verdict.tuples(),
                (first - begin) / 1e6,
                (System.nanoTime() - begin) / 1e6);
        err.println("indexers   " + verdict.indexersAsked() + " asked");
        Statistics statistics = verdict.statistics();
        if (statistics.equals(Statistics.NONE)) {
            err.println("chunks     " + verdict.chunksRead() + " read");
        } else {
            err.println("chunks     " + statistics.chunks() + " there, "
                    + (statistics.chunks() - statistics.chunksMeeting()) + " pruned"
                    + (statistics.chunksByDimension().counts().isEmpty()
                            ? ", "
                            : " (" + statistics.chunksByDimension() + "), ")
                    + (statistics.chunksMeeting() - statistics.chunksRead()) + " left, " + statistics.chunksRead()
                    + " read");
            print("in chunks  ", statistics.inChunks(), err);
            ScanStatistics chunks = statistics.inChunks();
            err.printf(
                    Locale.ROOT,
                    "parts      %d read from files, %d bytes; %d found in the cache, %d bytes (%.0f %%)%n",
                    chunks.parts().read(),
                    chunks.parts().bytesRead(),
                    chunks.parts().cached(),
                    chunks.parts().bytesCached(),
                    100.0
                            * chunks.parts().cached()
                            / Math.max(
                                    1, chunks.parts().cached() + chunks.parts().read()));
            if (statistics.nearReads() + statistics.farReads() > 0) {
                err.println("replicas   " + statistics.nearReads() + " chunks read on a host that holds them, "
                        + statistics.farReads() + " elsewhere");
            }
            print("in memory  ", statistics.fresh(), err);
        }
        if (verdict.horizon() != Retention.NO_HORIZON) {
            err.println("expired    all before " + Instant.ofEpochMilli(verdict.horizon()));
        }
        if (verdict.streams().isEmpty()) {
            seen("", verdict.seen(), verdict.edit(), err);
        } else {
            new TreeMap<>(verdict.streams()).forEach((stream, seen) -> seen(stream + ":", seen, seen.edit(), err));
        }
    }

    private static void print(String where, ScanStatistics scanned, PrintStream err) {
        err.println(where + scanned.leaves() + " leaves, "
                + (scanned.pruned().counts().isEmpty() ? "none pruned" : "pruned " + scanned.pruned()) + "; "
                + scanned.counted() + " counted unread; " + scanned.read() + " read with " + scanned.tuples()
                + " tuples; " + scanned.left() + " left");
    }

    /**
     * What an answer has of one stream.
     *
     * @param stream its name and a colon, where there are several
     */
    private static void seen(String stream, SessionPositions seen, long edit, PrintStream err) {
        err.println("seen       all below " + positions(stream, seen.positions()) + " (edit " + edit + ")");
        if (!seen.shown().equals(seen.positions())) {
            err.println("shown      all below " + positions(stream, seen.shown()));
        }
    }

    /** As {@code --at-least} takes them. */
    private static String positions(String stream, Map<Integer, Long> positions) {
        return new TreeMap<>(positions)
                .entrySet().stream()
                        .map(entry -> stream + entry.getKey() + ":" + entry.getValue())
                        .collect(Collectors.joining(","));
    }
}
