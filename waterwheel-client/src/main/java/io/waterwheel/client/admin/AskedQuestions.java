package io.waterwheel.client.admin;

/**
 * What was asked of a stream whose key has dimensions, and keys that it has: all that a proposal for the order of its
 * bits needs.
 *
 * @param shapes codes of {@link io.waterwheel.tuple.QuestionShape}, of the questions that each coordinator answered
 *     last
 * @param keys of the stream's chunks, taken by chance; none where there is no chunk
 * @param chunksRead how many chunks they were taken from, one drawn twice counted twice
 * @param chunks that there are
 */
@SuppressWarnings("ArrayRecordComponent") // thousands of numbers; never compared
public record AskedQuestions(long[] shapes, long[] keys, int chunksRead, long chunks) {}
