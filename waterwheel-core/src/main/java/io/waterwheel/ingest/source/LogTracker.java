package io.waterwheel.ingest.source;

import io.waterwheel.catalog.LogMemory.LeaderEpoch;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.protocol.Control.LogProblem;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides, alone, which log a partition's positions are of, and whether it is whole. A state machine without threads or
 * clock: looks at the topic, what the consumer tells and what the catalog says come in by the {@code on} methods; out
 * come what is wrong ({@link #problem}), whether records may be handed on ({@link #mayRead}), and what the catalog
 * should be told ({@link #epochToRemember}, {@link #successor}). Owner: one thread.
 *
 * <p>Brokers may answer from the past: a leader that does not know yet that it was deposed, or one whose metadata are
 * of before the topic was made anew. Four checks keep that from being taken for a loss (protocol rule 14):
 *
 * <ol>
 *   <li>An answer under a leader epoch below the highest that was seen of the same topic id is ignored. Nothing that
 *       was read under an epoch is handed on before the catalog remembers the epoch: so it outlives the spout, and a
 *       spout that starts knows at least the epoch under which the positions it starts from were read.
 *   <li>A topic id that was left is never gone back to. The catalog remembers it before another log is followed, and
 *       while the route still names the topic that was left: a spout that starts then believes nothing of it, and reads
 *       nothing of it. Somebody may take it back by hand.
 *   <li>A new topic id counts when two looks one after the other say so; and when one did, the old one counts again
 *       only when two do. Nothing is left for it before the catalog, read after that, does not say that it was left
 *       itself, or that another log is followed by now.
 *   <li>A log is truncated when two answers under the highest epoch say so, the second of which may have been filled up
 *       since: one leader never says less than it has said. And when the catalog, read after that, knows of no leader
 *       after this one: a leader that was heard here between the two proves nothing. Or when the consumer finds it,
 *       which compares epochs by itself.
 * </ol>
 */
public final class LogTracker {
    /** Looks that must agree. */
    private static final int CONFIRMED = 2;

    private static final long NOT_CUT = Long.MAX_VALUE;

    /** What one look at a topic has said of the partition. */
    public sealed interface Look {
        /**
         * The partition is there. In offsets of its log, not positions.
         *
         * @param topicId of this making of the topic; empty when not known
         * @param epoch of the leader that named the end; -1 when not known
         * @param start first offset that is held
         * @param end one after the last visible record
         */
        record Seen(String topicId, int epoch, long start, long end) implements Look {}

        /** The topic is there, and has no such partition. */
        record NoPartition(String topicId) implements Look {}

        /** There is no such topic. */
        record Gone() implements Look {}

        /** It could not be looked at. */
        record Unknown() implements Look {}
    }

    /**
     * The log that should follow, as far as the looks say: to be recorded in the catalog when the stream's policy is to
     * go on.
     *
     * @param old that it follows
     * @param epoch under which that was found; of a cut that was checked, the highest that is known here
     * @param firstOffset of the new log that is read
     */
    public record Successor(LogIdentity old, String topicId, int epoch, long firstOffset) {
        /** Whether what the catalog remembers says that this was found of answers from the past. */
        public boolean isPast(Collection<String> left, @Nullable LeaderEpoch known) {
            return left.contains(topicId)
                    || (known != null && known.topicId().equals(topicId) && known.epoch() > epoch);
        }
    }

    private LogIdentity log;
    /** Topic ids that were left. */
    private final Set<String> left = new HashSet<>();
    /** Those of them that the catalog does not remember. */
    private final Set<String> leftHere = new HashSet<>();
    /** The highest epoch seen of the topic id of the log; -1 when none. */
    private int epoch = -1;
    /** What of it the catalog remembers. */
    private int remembered = -1;

    private boolean looked;
    private boolean unseen;
    private boolean gone;
    private boolean compacted;

    /** A topic id that is newer than the log's, and confirmed; empty when there is none. */
    private String newer = "";

    private int newerEpoch = -1;
    /** Where the newer topic's log begins; -1 when it has no such partition. */
    private long newerStart = -1;

    /** Whether the catalog, read since the looks agreed, did not say that the newer one was left. */
    private boolean newerChecked;
    /** Topic ids that were taken for newer before it, and are left when it has been checked. */
    private final Set<String> replaced = new HashSet<>();

    /** Another id that was seen, and how often in a row. */
    private String candidate = "";

    private int candidateLooks;
    private int candidateEpoch = -1;
    /** Looks in a row that said that there is no other after all. */
    private int knownLooks;

    /** Where the log was cut, for certain; {@link #NOT_CUT} when it was not. */
    private long cut = NOT_CUT;
    /** Whether a look has counted since. */
    private boolean cutLooked;
    /** Where looks have seen it end below what was read, or below {@link #cut}; {@link #NOT_CUT} when they have not. */
    private long claim = NOT_CUT;

    private int claimEpoch = -1;
    /** Whether two looks agree, and the catalog is to be asked whether it knows a later leader. */
    private boolean claimAgreed;

    /** Of the log, as offsets, as last said by an answer that counts; -1 before that. */
    private long start = -1;

    private long end = -1;

    /**
     * @param log that the catalog's route says
     * @param left topic ids that the catalog remembers as left
     * @param known the epoch that the catalog remembers; null for none
     */
    public LogTracker(LogIdentity log, Collection<String> left, @Nullable LeaderEpoch known) {
        this.log = log;
        this.left.addAll(left);
        if (known != null && known.topicId().equals(log.topicId())) {
            epoch = known.epoch();
            remembered = known.epoch();
        }
    }

    /** The log that is followed. */
    public LogIdentity log() {
        return log;
    }

    /**
     * A look at the topic came to its end.
     *
     * @param read position below which everything had been read, here or before, when the look began
     */
    public void onLook(Look look, long read) {
        unseen = look instanceof Look.Unknown;
        if (unseen) {
            return;
        }
        if (look instanceof Look.Gone) {
            gone = true;
            looked = true;
            return;
        }
        String id = look instanceof Look.Seen seen ? seen.topicId() : ((Look.NoPartition) look).topicId();
        if (left.contains(id)) {
            return;
        }
        if (!log.matches(id)) {
            onAnother(id, look);
        } else if (look instanceof Look.Seen seen && epochOf(seen.epoch()) >= epoch) {
            onSame(seen, Math.max(read, log.since()));
        }
        // A topic only gets more partitions: who does not know this one answers from the past.
    }

    /** Whether the topic that the route names was left, and the one that follows it is not in the route yet. */
    private boolean isLeft() {
        return left.contains(log.topicId());
    }

    /** Of a log whose topic id is not known, epochs of several topics cannot be told from each other. */
    private int epochOf(int seen) {
        return log.topicId().isEmpty() ? -1 : seen;
    }

    private void leave(String topicId) {
        if (!topicId.isEmpty() && left.add(topicId)) {
            leftHere.add(topicId);
        }
    }

    private void onAnother(String id, Look look) {
        int of = look instanceof Look.Seen seen ? seen.epoch() : -1;
        if (id.equals(newer)) {
            if (of >= newerEpoch) {
                onKnown();
                onNewer(id, look, of);
            }
            return;
        }
        looked = true;
        gone = false;
        knownLooks = 0;
        if (!id.equals(candidate)) {
            candidate = id;
            candidateLooks = 0;
            candidateEpoch = -1;
        } else if (of < candidateEpoch) {
            return;
        }
        candidateLooks++;
        candidateEpoch = of;
        if (candidateLooks >= CONFIRMED) {
            if (!newer.isEmpty()) {
                replaced.add(newer);
            }
            newerChecked = false;
            onNewer(id, look, of);
            forgetCandidate();
        }
    }

    private void onNewer(String id, Look look, int of) {
        newer = id;
        newerEpoch = of;
        newerStart = look instanceof Look.Seen seen ? seen.start() : -1;
    }

    /** The topic is the one that was known, be it the log's or a newer one. */
    private void onKnown() {
        looked = true;
        gone = false;
        candidateLooks = 0;
        if (!candidate.isEmpty() && ++knownLooks >= CONFIRMED) {
            forgetCandidate();
        }
    }

    private void onSame(Look.Seen seen, long read) {
        onKnown();
        epoch = epochOf(seen.epoch());
        start = seen.start();
        end = seen.end();
        long ends = seen.end() + log.base();
        cutLooked = true;
        long least = Math.min(read, cut);
        if (claim == NOT_CUT) {
            if (ends < least) {
                claim = ends;
                claimEpoch = epoch;
            }
        } else if (epoch == claimEpoch) {
            claim = Math.min(claim, ends);
            claimAgreed = true;
        } else if (!claimAgreed && ends >= least) {
            // A leader that was one no more had answered; what was read is there. Were it not, the consumer would tell.
            claim = NOT_CUT;
        } else if (!claimAgreed) {
            // Where the one before saw the end, it alone said.
            claim = ends;
            claimEpoch = epoch;
        }
        // What a later leader says of a log that is agreed to be cut counts once the catalog has been asked.
    }

    private void forgetNewer() {
        newer = "";
        newerChecked = false;
        replaced.clear();
    }

    private void forgetCandidate() {
        candidate = "";
        candidateLooks = 0;
        candidateEpoch = -1;
        knownLooks = 0;
    }

    /** The consumer has found that the log differs from this position on from what was read of it. */
    public void onTruncation(long position) {
        settle(position);
        cutLooked = false;
    }

    private void settle(long at) {
        cut = Math.min(cut, at);
        if (claim >= cut) {
            forgetClaim();
        }
    }

    private void forgetClaim() {
        claim = NOT_CUT;
        claimEpoch = -1;
        claimAgreed = false;
    }

    /**
     * Records came that were written under an epoch.
     *
     * @param of -1 when not known
     * @return whether they may be handed on; if not, they are to be read again when {@link #mayRead} says so
     */
    public boolean onRecords(int of) {
        epoch = Math.max(epoch, epochOf(of));
        return mayRead();
    }

    /** Whether the topic is compacted now. */
    public void onCompacted(boolean now) {
        compacted = now;
    }

    /** The catalog remembers an epoch of a topic id. */
    public void onRemembered(LeaderEpoch known) {
        if (known.topicId().equals(log.topicId())) {
            remembered = Math.max(remembered, known.epoch());
        }
    }

    /**
     * The catalog was read again, before anything is made of a log that seems to be another or cut: another spout may
     * know more. To be asked for as long as {@link #isDecided} holds, and when the catalog did not take an epoch.
     *
     * @param present the log that the route says
     * @param leftBefore topic ids that are remembered as left, read after the route
     */
    public void onKnown(LogIdentity present, Collection<String> leftBefore, @Nullable LeaderEpoch known) {
        if (present.since() > log.since()) {
            // Which topic is newer was held against a log that is followed no longer.
            onRoute(present, leftBefore);
        }
        left.addAll(leftBefore);
        if (left.contains(newer)) {
            forgetNewer();
        } else if (!newer.isEmpty() && !newerChecked) {
            newerChecked = true;
            leave(log.topicId());
            replaced.remove(newer);
            replaced.forEach(this::leave);
            replaced.clear();
        }
        if (left.contains(candidate)) {
            forgetCandidate();
        }
        boolean same = known != null && known.topicId().equals(log.topicId());
        checkClaim(known != null && same ? known.epoch() : -1);
        if (known == null || !same) {
            return;
        }
        remembered = Math.max(remembered, known.epoch());
        if (known.epoch() > epoch) {
            epoch = known.epoch();
            cutLooked = false;
        }
    }

    /** Compares a cut that looks have found with the leaders that others know: once, and before it counts. */
    private void checkClaim(int knownEpoch) {
        if (knownEpoch > claimEpoch) {
            forgetClaim();
        } else if (claimAgreed) {
            settle(claim);
        }
    }

    /** Whether the log is held to be another, or cut. */
    public boolean isDecided() {
        return problem() == LogProblem.RECREATED || problem() == LogProblem.TRUNCATED;
    }

    /**
     * The log that the catalog's route says. A later one is followed: somebody has decided.
     *
     * @param leftBefore topic ids that the catalog remembers as left, read after the route: between the log that was
     *     followed here and this one there may have been others, and this one may have been left already
     */
    public void onRoute(LogIdentity present, Collection<String> leftBefore) {
        if (present.since() <= log.since()) {
            return;
        }
        left.addAll(leftBefore);
        if (!present.topicId().equals(log.topicId())) {
            leave(log.topicId());
            epoch = present.topicId().equals(newer) ? newerEpoch : -1;
            remembered = -1;
            forgetNewer();
            forgetCandidate();
        }
        if (!leftBefore.contains(present.topicId())) {
            // Taken back by hand, or never remembered as left.
            left.remove(present.topicId());
            leftHere.remove(present.topicId());
        }
        log = present;
        cut = NOT_CUT;
        forgetClaim();
        looked = false;
        start = -1;
        end = -1;
    }

    /** What is wrong with the log; in doubt also before anything of it is known. */
    public LogProblem problem() {
        if (unseen) {
            return LogProblem.UNKNOWN;
        } else if (gone) {
            return LogProblem.GONE;
        } else if (!looked || !candidate.isEmpty()) {
            return LogProblem.IN_DOUBT;
        } else if (!newer.isEmpty()) {
            return LogProblem.RECREATED;
        } else if (isLeft()) {
            return LogProblem.IN_DOUBT;
        } else if (cut != NOT_CUT || claimAgreed) {
            return LogProblem.TRUNCATED;
        } else if (claim != NOT_CUT) {
            return LogProblem.IN_DOUBT;
        }
        return compacted ? LogProblem.COMPACTED : LogProblem.NONE;
    }

    /** Whether the log is known to be the right one, and its records may be handed on. */
    public boolean mayRead() {
        return isSound() && epoch <= remembered;
    }

    /** Whether it is the right one, as far as is known: when the topic cannot be looked at, what is read is read on. */
    public boolean isSound() {
        return looked
                && !gone
                && candidate.isEmpty()
                && newer.isEmpty()
                && !isLeft()
                && cut == NOT_CUT
                && claim == NOT_CUT
                && !compacted;
    }

    /** The epoch that the catalog should remember; null when it does, or when nothing is to be read anyway. */
    public @Nullable LeaderEpoch epochToRemember() {
        // Nor while a cut is to be checked: what others know must not be mixed with what is known from here.
        return epoch > remembered && newer.isEmpty() && !isLeft() && !claimAgreed
                ? new LeaderEpoch(log.topicId(), epoch)
                : null;
    }

    /** Topic ids that the catalog should remember as left. */
    public Set<String> leftToRemember() {
        return leftHere;
    }

    /** The catalog remembers that these were left. */
    public void onLeftRemembered(Collection<String> topicIds) {
        leftHere.removeAll(topicIds);
    }

    /** The log that should follow; null while it is the same one, or not known well enough. */
    public @Nullable Successor successor() {
        LogProblem problem = problem();
        if (problem == LogProblem.RECREATED && newerChecked && newerStart >= 0) {
            return new Successor(log, newer, newerEpoch, newerStart);
        } else if (problem == LogProblem.TRUNCATED && cutLooked && (claim == NOT_CUT || claimAgreed)) {
            // Not where it ends now: producers may have gone on since. Nor where it ended before it was cut.
            return new Successor(
                    log,
                    log.topicId(),
                    claimAgreed ? claimEpoch : epoch,
                    Math.max(start, Math.min(cut, claim) - log.base()));
        }
        return null;
    }

    /** Position of the first record that the log holds; -1 when not known. */
    public long start() {
        return start < 0 ? -1 : start + log.base();
    }

    /** Position after the last visible record when it was asked for; -1 when not known. */
    public long end() {
        return end < 0 ? -1 : end + log.base();
    }
}
