package io.waterwheel.cli.output;

import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.SourceOffsets;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.admin.TopicSample;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Which records a stream's topic has, and what goes with a stream that is dropped: rows whose records are gone. */
public final class DropPage {
    private DropPage() {}

    /**
     * What is to be said of a stream's topic, which cannot be asked for once the stream is dropped.
     *
     * @param gone rows that go with the stream for good; empty when none do
     * @param stays what the topic keeps; empty when that is not known
     */
    public record Before(String gone, String stays) {}

    /** Asks for that. What cannot be told is told to the terminal, and a stream that is not there has none of it. */
    public static Before before(WaterwheelClient client, String name, Terminal terminal) {
        try {
            StreamDetails stream = client.describe(name);
            List<SourceOffsets> offsets = client.offsets(name);
            TopicReaders readers = TopicReaders.of(client, stream.definition().topic(), name);
            return new Before(onlyInChunks(stream, offsets), topicStays(stream, offsets, readers));
        } catch (WaterwheelException e) {
            if (e.is(ErrorCode.NO_SUCH_STREAM)) {
                return new Before("", "");
            }
            // A stream can be dropped of which no more can be told; what else is wrong, the drop says.
            terminal.err().println("what the topic has of stream " + name + " is not known: " + e.getMessage());
            return new Before("", "");
        }
    }

    /** A sentence about rows that are in the stream's chunks alone; empty when the topic has all records. */
    private static String onlyInChunks(StreamDetails stream, List<SourceOffsets> offsets) {
        List<String> gone = new ArrayList<>();
        for (SourceOffsets partition : offsets) {
            long begin = stream.topic().begins().getOrDefault(partition.partition(), 0L);
            long first = partition.positions().logStart().orElse(begin);
            if (partition.base() > 0) {
                gone.add("partition " + partition.partition() + " before its present log");
            } else if (first > begin) {
                gone.add("partition " + partition.partition() + " before " + first);
            }
        }
        return gone.isEmpty()
                ? ""
                : "topic " + stream.definition().topic() + " no longer has the records of its first rows ("
                        + String.join(", ", gone) + "): with the stream those rows are gone for good";
    }

    /** Offsets that a stream's topic still has: no less than its records. Partitions that cannot be asked have none. */
    public static long offsets(List<SourceOffsets> partitions) {
        return partitions.stream()
                .filter(one -> one.logStart().isPresent() && one.logEnd().isPresent())
                .mapToLong(one ->
                        Math.max(0, one.logEnd().getAsLong() - one.logStart().getAsLong()))
                .sum();
    }

    /**
     * What becomes of the topic of a stream that is dropped; empty when the topic cannot be asked.
     *
     * @param readers who else reads it
     */
    private static String topicStays(StreamDetails stream, List<SourceOffsets> offsets, TopicReaders readers) {
        if (offsets.stream().allMatch(partition -> partition.logEnd().isEmpty())) {
            return ""; // it may be gone
        }
        String topic = stream.definition().topic();
        long records = offsets(offsets);
        String stays = "topic " + topic + " stays"
                + (records == 0
                        ? ""
                        : ", with " + TopicSample.atMost(records) + ": a new stream of it has them as rows again, or as"
                                + " dead letters where they do not fit");
        if (!readers.streams().isEmpty()) {
            return stays + ". Streams that read it: " + String.join(", ", readers.streams());
        }
        return readers.areKnown()
                ? stays + ". If no program, and no stream of another namespace, needs it: "
                        + deletion(stream.topic().bootstrapServers(), topic)
                : stays + ". Which streams read it is not known";
    }

    /** Kafka's own command that deletes a topic. */
    public static String deletion(String bootstrap, String topic) {
        return "kafka-topics.sh --bootstrap-server " + bootstrap + " --delete --topic " + topic;
    }

    /** The offsets at which a stream begins, for people; empty when it begins with its topic. */
    public static String begins(StreamDetails stream) {
        List<String> late = new ArrayList<>();
        for (Map.Entry<Integer, Long> begin : new TreeMap<>(stream.topic().begins()).entrySet()) {
            late.add("partition " + begin.getKey() + " at offset " + begin.getValue());
        }
        return late.isEmpty()
                ? ""
                : "it begins with what the topic still had: " + String.join(", ", late)
                        + "; of the records before it has no rows. They were deleted by Kafka's retention, which goes"
                        + " by the times of records, or since another stream has them in chunks";
    }

    /** How long the topic keeps records whose rows are in chunks, for people. */
    public static String recordsStay(StreamDetails stream) {
        String topic = "topic " + stream.definition().topic() + " keeps its records ";
        return stream.topic().recordsStay().equals(StreamDetails.Topic.AS_LONG_AS_KAFKA)
                ? topic + "as long as Kafka does"
                : topic + "for at least " + stream.topic().recordsStay() + " after their rows came into chunks";
    }

    /** Asks on a terminal whether to go on. */
    public static boolean confirmed(Terminal terminal, String stream, String gone) throws IOException {
        terminal.err().print(gone + ".\nDrop stream " + stream + "? [y/N] ");
        terminal.err().flush();
        String answer = new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8)).readLine();
        String word = answer == null ? "" : answer.strip().toLowerCase(Locale.ROOT);
        boolean agreed = word.equals("y") || word.equals("yes");
        if (!agreed) {
            terminal.err().println("nothing was dropped");
        }
        return agreed;
    }
}
