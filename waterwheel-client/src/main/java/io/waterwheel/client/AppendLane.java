package io.waterwheel.client;

import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.kafka.AppendJournal;
import io.waterwheel.client.kafka.RecordSender;
import io.waterwheel.tuple.TupleBlock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One of the lanes by which rows are appended under keys: each {@link #commit} makes what was appended since the last
 * one visible together with notes in an {@link AppendJournal}, in one Kafka transaction. Taking a lane shuts out who
 * had it before: their commits fail from then on. Which key was stored where, and when a lane must be taken again, is
 * for its owner to know. One thread at a time.
 */
public final class AppendLane implements AutoCloseable {
    private final RecordSender sender;
    private final Appender appender;
    private final AppendJournal journal;
    private final int number;
    /** By partition, where all that is committed ends. */
    private Map<Integer, Long> committed = Map.of();

    private AppendLane(RecordSender sender, Appender appender, AppendJournal journal, int number) {
        this.sender = sender;
        this.appender = appender;
        this.journal = journal;
        this.number = number;
    }

    /**
     * Takes a lane. Whatever a former owner had begun is ended, committed or not, when this returns.
     *
     * @param journal of the same stream
     * @param number from 0, below the number of lanes of the journal
     */
    public static AppendLane take(StreamDetails stream, AppenderSettings settings, AppendJournal journal, int number) {
        Libraries.requireKafka("to append");
        journal.ensure();
        RecordSender sender = RecordSender.open(stream, settings.sending(), journal.transactionalId(number));
        sender.takeOver();
        return new AppendLane(sender, Appender.on(stream, settings, sender), journal, number);
    }

    /** Its number. */
    public int number() {
        return number;
    }

    /** Appends the tuples of a block to a stream of tuple blocks, as {@link Appender#append(TupleBlock)} does. */
    public void append(TupleBlock block) {
        sender.begin();
        appender.append(block);
    }

    /** As {@link Appender#appendRecord}. */
    public void appendRecord(byte[] value) {
        sender.begin();
        appender.appendRecord(value);
    }

    /**
     * Sends what waits; returns when the brokers have confirmed it. It is not committed yet.
     *
     * @return by partition the offset below which lies what was appended since the last commit; without the partitions
     *     that nothing of it went to
     */
    public Map<Integer, Long> flush() {
        sender.begin();
        Map<Integer, Long> positions = new HashMap<>(appender.flush());
        positions.entrySet().removeAll(committed.entrySet());
        return positions;
    }

    /** What a commit writes into the journal. */
    public static final class Note {
        private final int lane;
        private final byte[] key;
        private final byte @Nullable [] value;

        /**
         * A note.
         *
         * @param lane in whose part of the journal; another's is written too
         * @param key not copied
         * @param value not copied; null: what was there under the key goes
         */
        public Note(int lane, byte[] key, byte @Nullable [] value) {
            this.lane = lane;
            this.key = key;
            this.value = value;
        }
    }

    /**
     * Commits what was appended since the last commit, together with these notes: all of it or nothing.
     *
     * @throws io.waterwheel.error.WaterwheelException when the outcome is not a success: it may be stored or not, which
     *     the journal says once the lane is taken again
     */
    public void commit(List<Note> notes) {
        sender.begin();
        for (Note note : notes) {
            sender.note(journal.topic(), note.lane, note.key, note.value);
        }
        Map<Integer, Long> ends = appender.flush();
        sender.commit();
        committed = ends;
    }

    /** Ends the connection. What was not committed is not appended. */
    @Override
    public void close() {
        appender.abandon();
    }
}
