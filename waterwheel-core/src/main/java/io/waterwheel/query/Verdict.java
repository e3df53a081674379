package io.waterwheel.query;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Retention;
import io.waterwheel.tuple.LostRange;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How an answer ended; the last thing a client receives. An answer without a verdict was cut off.
 *
 * @param completeness whether all that should be in the answer is in it
 * @param seen what a session has seen that got this answer: per partition of the topic, the offset below which every
 *     matching tuple is in the answer. What lies above may be there in part, each tuple at most once; who has it is
 *     told in {@link SessionPositions#ahead}
 * @param gone what the stream no longer has, below the positions that were seen
 * @param edit number of the catalog edit the answer was planned on
 * @param tuples number of tuples returned; with aggregates, of tuples that went into them
 * @param effort what it took
 * @param next asks for the tuples behind these, when they are in an order and as many as the limit; else null. Null too
 *     when the last tuple is over about 70 KiB long
 * @param explanation how the answer came about, for a query that asks for it; else null
 * @param streams of a statement that reads several streams, by name what of each has been seen, and {@code seen} is
 *     empty then; else empty
 */
public record Verdict(
        Completeness completeness,
        SessionPositions seen,
        Gone gone,
        long edit,
        long tuples,
        Effort effort,
        @Nullable PageToken next,
        @Nullable Explanation explanation,
        Map<String, SessionPositions> streams) {
    public Verdict {
        streams = Map.copyOf(streams);
    }

    /**
     * Whether all that should be in an answer is in it.
     *
     * @param complete whether nothing is missing (protocol rule 10)
     * @param missing what is missing, a sentence each; empty when complete
     * @param stale parts that are right up to the positions, and these are old because somebody is away; a sentence
     *     each
     */
    public record Completeness(boolean complete, List<String> missing, List<String> stale) {
        public static final Completeness WHOLE = new Completeness(true, List.of(), List.of());

        public Completeness {
            missing = List.copyOf(missing);
            stale = List.copyOf(stale);
        }
    }

    /**
     * What a stream no longer has.
     *
     * @param lost ranges that the stream has given up: what they held may be in no answer
     * @param horizon tuples of times before it have expired and are in no answer; {@link Retention#NO_HORIZON} when
     *     none has
     */
    public record Gone(List<LostRange> lost, long horizon) {
        public static final Gone NOTHING = new Gone(List.of(), Retention.NO_HORIZON);

        public Gone {
            lost = List.copyOf(lost);
        }
    }

    /**
     * What an answer took.
     *
     * @param indexersAsked number of indexers that took part
     * @param chunksRead number of chunks that took part
     * @param statistics what was looked at to find the answer
     */
    public record Effort(int indexersAsked, int chunksRead, Statistics statistics) {}

    /** The same of another number of tuples. */
    public Verdict withTuples(long number) {
        return new Verdict(completeness, seen, gone, edit, number, effort, next, explanation, streams);
    }

    /** A verdict on one stream. */
    public Verdict(
            Completeness completeness,
            SessionPositions seen,
            Gone gone,
            long edit,
            long tuples,
            Effort effort,
            @Nullable PageToken next,
            @Nullable Explanation explanation) {
        this(completeness, seen, gone, edit, tuples, effort, next, explanation, Map.of());
    }

    /** A verdict without a next page and without explanation. */
    public Verdict(Completeness completeness, SessionPositions seen, Gone gone, long edit, long tuples, Effort effort) {
        this(completeness, seen, gone, edit, tuples, effort, null, null);
    }

    /** A verdict on some stream that has lost nothing and where nothing expires, without statistics. */
    public Verdict(
            boolean complete,
            List<String> missing,
            Map<Integer, Long> positions,
            long edit,
            long tuples,
            int indexersAsked,
            int chunksRead) {
        this(
                new Completeness(complete, missing, List.of()),
                new SessionPositions(SessionPositions.ANY, positions),
                Gone.NOTHING,
                edit,
                tuples,
                new Effort(indexersAsked, chunksRead, Statistics.NONE));
    }

    /**
     * What a query asked for that is to be explained.
     *
     * @throws WaterwheelException BAD_ANSWER when the server explained nothing
     */
    public Explanation requireExplanation() {
        if (explanation == null) {
            throw notExplained();
        }
        return explanation;
    }

    /** Of an answer to a query that was to be explained, and that has rows, or a verdict, of one that was not. */
    public static WaterwheelException notExplained() {
        return new WaterwheelException(
                ErrorCode.BAD_ANSWER,
                "query: the server answered it, and did not explain it: it is of an older release than this client;"
                        + " update the server");
    }

    /** Whether nothing is missing. */
    public boolean complete() {
        return completeness.complete();
    }

    /** What is missing, a sentence each. */
    public List<String> missing() {
        return completeness.missing();
    }

    /** What is older than it should be, a sentence each. */
    public List<String> stale() {
        return completeness.stale();
    }

    /** Id of the stream: positions are of it, and of no other that bears its name before or later. */
    public int streamId() {
        return seen.streamId();
    }

    /** Per partition of the topic, the offset below which every matching tuple is in the answer. */
    public Map<Integer, Long> positions() {
        return seen.positions();
    }

    /**
     * Per partition of the topic, an offset above every tuple of the answer, at or above {@link #positions}: an answer
     * that has seen these has all of them again.
     */
    public Map<Integer, Long> shown() {
        return seen.shown();
    }

    /** Ranges below the positions that the stream has given up. */
    public List<LostRange> lost() {
        return gone.lost();
    }

    /** Milliseconds since 1970 UTC: tuples of earlier times have expired; or {@link Retention#NO_HORIZON}. */
    public long horizon() {
        return gone.horizon();
    }

    /** Number of indexers that took part. */
    public int indexersAsked() {
        return effort.indexersAsked();
    }

    /** Number of chunks that took part. */
    public int chunksRead() {
        return effort.chunksRead();
    }

    /** What was looked at to find the answer. */
    public Statistics statistics() {
        return effort.statistics();
    }
}
