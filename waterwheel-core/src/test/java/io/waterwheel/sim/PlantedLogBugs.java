package io.waterwheel.sim;

import static io.waterwheel.sim.PlantedBug.Kind.NONE;
import static io.waterwheel.sim.PlantedBug.Kind.SAFETY;

import io.waterwheel.sim.PlantedBug.Kind;
import io.waterwheel.sim.PlantedBug.World;
import java.util.List;

/** Rules by which a broker's answer from the past is told from a loss; {@link LogSimulation} must miss each. */
final class PlantedLogBugs {
    private static final int RULE = 14;
    private static final String TRACKER = "ingest/source/LogTracker";
    private static final String MEMORY = "catalog/LogMemory";

    private PlantedLogBugs() {}

    private static PlantedBug bug(String name, Kind kind, String what) {
        return new PlantedBug(name, RULE, kind, what).in(World.LOG);
    }

    private static final PlantedBug TOPICS_LEFT = bug(
                    "topics left alone", NONE, "a look at a topic that was left counts")
            .with(TRACKER, "if (left.contains(id)) {", "if (id.isEmpty()) {");

    static final List<PlantedBug> ALL = List.of(
            bug("epochs forgotten", SAFETY, "a spout that starts does not know the epochs seen before")
                    .with(
                            TRACKER,
                            "if (known != null && known.topicId()",
                            "if (known != null && epoch > 0 && known.topicId()")
                    .with(TRACKER, "epoch <= remembered;", "epoch >= -1;"),
            bug("epoch first", SAFETY, "records are handed on before their epoch is remembered")
                    .with(TRACKER, "epoch = Math.max(epoch, epochOf(of));", ""),
            bug("topics left", SAFETY, "a topic id that was left is gone back to")
                    .and(TOPICS_LEFT)
                    .with(TRACKER, "if (left.contains(newer)) {", "if (newer.equals(log.topicId())) {"),
            bug("topics forgotten", SAFETY, "the catalog does not remember which topic ids were left")
                    .with(MEMORY, "more.add(topicId);", "more.clear();"),
            bug("topic of the route", SAFETY, "a topic that was left counts while the route names it")
                    .with(TRACKER, "return left.contains(log.topicId());", "return false;")
                    .with(TRACKER, "if (left.contains(id)) {", "if (left.contains(id) && !log.matches(id)) {")
                    .with(TRACKER, "return left.contains(topicId) || (known", "return (known")
                    .with(
                            MEMORY,
                            "if (!left.contains(epoch.topicId())) { taken.add(partition);",
                            "{ taken.add(partition);"),
            bug("one look, topic", SAFETY, "one look is enough for a new topic id")
                    .with(TRACKER, "if (candidateLooks >= CONFIRMED) {", "if (candidateLooks >= 1) {"),
            bug("left unchecked", SAFETY, "a topic is left for one that others have left")
                    .with(
                            TRACKER,
                            "newerChecked = false; onNewer(id, look, of);",
                            "newerChecked = true; leave(log.topicId()); replaced.forEach(this::leave);"
                                    + " onNewer(id, look, of);"),
            bug("one look, end", SAFETY, "one look is enough for a truncation")
                    .with(
                            TRACKER,
                            "claimEpoch = epoch; } } else if (epoch",
                            "claimEpoch = epoch; claimAgreed = true; } } else if (epoch"),
            bug("two leaders", SAFETY, "two looks agree on a truncation that are of different leaders")
                    .with(TRACKER, "} else if (epoch == claimEpoch) {", "} else if (ends < least) {"),
            bug("others unasked", SAFETY, "a log is cut though another spout knows of a later leader")
                    .with(TRACKER, "if (knownEpoch > claimEpoch) {", "if (knownEpoch > 1 << 20) {"),
            bug("heard since", SAFETY, "a leader heard of since two looks agreed outweighs what others know")
                    .with(TRACKER, "if (knownEpoch > claimEpoch) {", "if (knownEpoch > epoch) {"),
            bug("past successor", SAFETY, "a log follows though what is remembered says that it is past")
                    .with(TRACKER, "return left.contains(topicId) || (known", "return (known")
                    .with(TRACKER, "known.epoch() > epoch);", "known.epoch() > 1 << 20);"),
            bug("one look, cut", SAFETY, "one look moves a cut that the consumer has found")
                    .with(
                            TRACKER,
                            "long least = Math.min(read, cut);",
                            "if (cut != NOT_CUT) { cut = Math.min(cut, ends); } long least = Math.min(read, cut);"),
            bug("cut by old look", SAFETY, "a log is cut where it ended before the truncation")
                    .with(TRACKER, "TRUNCATED && cutLooked &&", "TRUNCATED &&")
                    .with(
                            TRACKER,
                            "Math.min(cut, claim) - log.base()",
                            "Math.min(end, Math.min(cut, claim) - log.base())"));

    /** Guards whose absence alone was never seen to matter here. */
    static final List<PlantedBug> SECOND_GUARDS = List.of(
            // The catalog is asked before a cut counts, and knows the later leader.
            bug("old epochs", NONE, "an answer under an older leader epoch counts")
                    .with(TRACKER, "epochOf(seen.epoch()) >= epoch) {", "seen.epoch() >= -1) {"),
            // The catalog is asked before another topic counts, and knows that it was left.
            TOPICS_LEFT,
            bug("left before the route", NONE, "what was left before the log of the route is not known")
                    .with(TRACKER, "left.addAll(leftBefore); if (!present", "if (!present"),
            // A deposed leader that changed its mind showed it; no real one does.
            bug("epoch while unsure", NONE, "an epoch is remembered while a truncation is to be checked")
                    .with(TRACKER, "&& !isLeft() && !claimAgreed ?", "&& !isLeft() ?"),
            // Two seeds of 100,000 found it before the route was read there; LogTrackerTest shows it.
            bug("left for the route's", NONE, "a topic is left for one that the route names by now")
                    .with(TRACKER, "if (present.since() > log.since()) {", "if (present.since() < log.since()) {"),
            // The simulated consumer reads nothing of the new topic as if it were of the old one.
            bug("one look, old topic", NONE, "one look is enough for the old topic id after another")
                    .with(TRACKER, "++knownLooks >= CONFIRMED", "++knownLooks >= 1"),
            // Who reads on in a topic that was left gives the dispatcher nothing that it takes.
            bug("refused epoch", NONE, "an epoch that the catalog did not take counts as remembered")
                    .with(
                            MEMORY,
                            "if (!left.contains(epoch.topicId())) { taken.add(partition);",
                            "taken.add(partition); if (!left.contains(epoch.topicId())) {"));
}
