package io.waterwheel.key.sample;

import io.waterwheel.tuple.QuestionShape;
import java.util.List;

/**
 * Two schedules of one key, and what they cost the questions that were asked.
 *
 * @param present the dimension of each bit of the key, from the highest on
 * @param proposed the same dimensions with the same bits in another order; equal where none was found to be better
 * @param asked what was asked, the most frequent first
 * @param sampled keys that the shares are estimated on
 */
public record ScheduleAdvice(List<String> present, List<String> proposed, List<Asked> asked, int sampled) {
    /**
     * Questions of one shape.
     *
     * @param times how often it was asked
     * @param presentShare of the leaves that such a question reads, estimated, 0 to 1
     * @param proposedShare the same under the proposed schedule
     */
    public record Asked(QuestionShape shape, int times, double presentShare, double proposedShare) {}

    public ScheduleAdvice {
        present = List.copyOf(present);
        proposed = List.copyOf(proposed);
        asked = List.copyOf(asked);
    }

    /** All questions. */
    public int questions() {
        return asked.stream().mapToInt(Asked::times).sum();
    }

    /** Share of the leaves that a question reads in the mean, under the present schedule. */
    public double presentMean() {
        return asked.stream()
                        .mapToDouble(one -> one.times() * one.presentShare())
                        .sum()
                / questions();
    }

    /** The same under the proposed one. */
    public double proposedMean() {
        return asked.stream()
                        .mapToDouble(one -> one.times() * one.proposedShare())
                        .sum()
                / questions();
    }
}
