package io.waterwheel.cli;

import io.waterwheel.client.admin.AskedQuestions;
import io.waterwheel.key.sample.ScheduleAdvice;
import io.waterwheel.key.sample.ScheduleAdvisor;
import io.waterwheel.tuple.QuestionShape;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Advice on the schedule of a key, for people; what can be given to create stands behind {@code schedule:}. */
final class AdvicePage {
    private static final int MOST_SHOWN = 20;

    private AdvicePage() {}

    /**
     * The page.
     *
     * @param dimensions names, in the key's order
     */
    static String of(String stream, List<String> dimensions, ScheduleAdvice advice, AskedQuestions asked) {
        StringBuilder page = new StringBuilder();
        boolean better = !advice.proposed().equals(advice.present());
        line(
                page,
                "of stream %s the last %,d questions that bounded a dimension read, as estimated, %s of the leaves",
                stream,
                advice.questions(),
                percent(advice.presentMean()));
        if (better) {
            line(page, "with this schedule it would be %s:", percent(advice.proposedMean()));
            line(page, "");
            line(page, "  schedule: [%s]", String.join(", ", advice.proposed()));
        } else {
            line(page, "no schedule was found that reads much less");
        }
        line(page, "");
        line(page, "%8s %9s %9s  %s", "TIMES", "PRESENT", "PROPOSED", "SHARE OF CELLS");
        for (ScheduleAdvice.Asked one :
                advice.asked().subList(0, Math.min(MOST_SHOWN, advice.asked().size()))) {
            line(
                    page,
                    "%,8d %9s %9s  %s",
                    one.times(),
                    percent(one.presentShare()),
                    percent(one.proposedShare()),
                    shape(dimensions, one.shape()));
        }
        if (advice.asked().size() > MOST_SHOWN) {
            line(page, "and %,d shapes more", advice.asked().size() - MOST_SHOWN);
        }
        line(page, "");
        line(page, "first bits, present:   %s", first(advice.present()));
        if (better) {
            line(page, "first bits, proposed:  %s", first(advice.proposed()));
        }
        line(
                page,
                "estimated on %,d keys from %d of %,d chunks, sorted by either schedule and divided into %d leaves;"
                        + " questions of each shape are laid around keys by chance",
                advice.sampled(),
                Math.min(asked.chunksRead(), asked.chunks()),
                asked.chunks(),
                ScheduleAdvisor.LEAVES);
        if (better) {
            line(
                    page,
                    "the schedule of a stream never changes: create another stream with this schedule for what is to come");
        }
        return page.toString();
    }

    private static String shape(List<String> dimensions, QuestionShape shape) {
        List<String> parts = new ArrayList<>();
        for (int d = 0; d < dimensions.size(); d++) {
            if (shape.bounds(d)) {
                parts.add(dimensions.get(d) + " " + percent(shape.share(d)));
            }
        }
        return String.join(", ", parts);
    }

    /** How many of the bits that tell a chunk's leaves apart each dimension has. */
    private static String first(List<String> schedule) {
        List<String> first = schedule.subList(0, Math.min(ScheduleAdvisor.LEAF_BITS, schedule.size()));
        Set<String> names = new LinkedHashSet<>(first);
        List<String> counts = new ArrayList<>();
        for (String name : names) {
            counts.add(first.stream().filter(name::equals).count() + " of " + name);
        }
        return String.join(", ", counts);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    private static void line(StringBuilder page, String format, Object... values) {
        page.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
