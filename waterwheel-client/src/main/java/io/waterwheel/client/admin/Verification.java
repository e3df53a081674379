package io.waterwheel.client.admin;

import io.waterwheel.wire.proto.VerifyStreamReply;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What came of comparing a stream's topic with its answers.
 *
 * @param partitions by partition what was counted
 * @param topicTuples tuples of the topic that must be in the chunks
 * @param topicFingerprint of the set of them, whatever their order; 32 hexadecimal digits
 * @param answerTuples tuples that were answered
 * @param answerFingerprint of the set of them
 * @param notes why less than everything was compared, a sentence each
 * @param differences what differs, a sentence each; empty when the answers are right as far as they were compared
 */
public record Verification(
        Map<Integer, Partition> partitions,
        long topicTuples,
        String topicFingerprint,
        long answerTuples,
        String answerFingerprint,
        List<String> notes,
        List<String> differences) {
    /**
     * One partition's part.
     *
     * @param from first offset counted
     * @param to one after the last
     * @param tuples those of them that are in chunks
     * @param refused rows that are no tuples of the stream
     */
    public record Partition(long from, long to, long tuples, long refused) {}

    /** Whether the answers are right, as far as they were compared: see the notes. */
    public boolean agrees() {
        return differences.isEmpty();
    }

    public static Verification of(VerifyStreamReply reply) {
        Map<Integer, Partition> partitions = new TreeMap<>();
        reply.getPartitionsMap()
                .forEach((partition, part) -> partitions.put(
                        partition, new Partition(part.getFrom(), part.getTo(), part.getTuples(), part.getRefused())));
        return new Verification(
                partitions,
                reply.getTopicTuples(),
                reply.getTopicFingerprint(),
                reply.getAnswerTuples(),
                reply.getAnswerFingerprint(),
                List.copyOf(reply.getNotesList()),
                List.copyOf(reply.getDifferencesList()));
    }
}
