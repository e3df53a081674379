package io.waterwheel.topology.admin;

import io.waterwheel.status.ServerReport;
import io.waterwheel.status.StreamReport;
import java.util.Locale;

/** The status for people: a line a stream or gateway, and one for each partition that lags or stands still. */
public final class StatusText {
    private StatusText() {}

    public static String of(ServerReport report) {
        StringBuilder text = new StringBuilder();
        report.troubles().forEach(trouble -> line(text, "%s", trouble));
        report.streams().forEach(stream -> stream(stream, text));
        if (text.length() == 0) {
            text.append("no streams\n");
        }
        report.gateways().forEach(gateway -> line(text, "%s", gateway.sentence()));
        return text.toString();
    }

    private static void stream(StreamReport stream, StringBuilder text) {
        line(
                text,
                "%s: %d tuples in memory, %d in %d chunks (%d bytes), %d rejected, lag %d",
                stream.name(),
                stream.memoryTuples(),
                stream.chunks().tuples(),
                stream.chunks().count(),
                stream.chunks().bytes(),
                stream.rejected(),
                stream.lag());
        stream.troubles().forEach(trouble -> line(text, "  %s", trouble));
        for (StreamReport.Dimension dimension : stream.dimensions()) {
            if (dimension.crowded()) {
                line(text, "  %s", dimension.sentence());
            }
        }
        for (StreamReport.Partition partition : stream.source().partitions()) {
            String trouble = partition.trouble();
            if (!trouble.isEmpty() || partition.deadLetters() > 0 || partition.lag() > 0) {
                line(
                        text,
                        "  partition %d: lag %d, %d dead letters since the start%s%s",
                        partition.partition(),
                        partition.lag(),
                        partition.deadLetters(),
                        trouble.isEmpty() ? "" : "; STANDS STILL: ",
                        trouble);
            }
        }
        for (StreamReport.Indexer indexer : stream.indexers()) {
            if (indexer.memory().full()) {
                line(
                        text,
                        "  indexer %d: %d of %d MiB of memory used, %d trees wait to be written; reading waits"
                                + " for them. Is the chunk store slow or full?",
                        indexer.indexer(),
                        indexer.memory().usedBytes() >> 20,
                        indexer.memory().limitBytes() >> 20,
                        indexer.memory().unflushedTrees());
            }
        }
        for (StreamReport.Lost lost : stream.source().lost()) {
            line(
                    text,
                    "  partition %d: LOST offsets %d to %d (%s)",
                    lost.partition(),
                    lost.from(),
                    lost.to() - 1,
                    lost.reason());
        }
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
    }
}
