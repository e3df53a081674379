package io.waterwheel.gateway.keyed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the protocol knows Kafka by: ids that are fenced, transactions that are there as a whole or not at all. */
final class SimKafka {
    /** A row in the log. */
    static final class Row {
        final Commit.Entry entry;
        boolean committed;
        long committedAt;

        Row(Commit.Entry entry) {
            this.entry = entry;
        }
    }

    /** One record of the journal; without a commit the note has gone. */
    record Note(Commit.Id id, @Nullable Commit commit) {}

    /** What a fenced owner meets. */
    static final class Fenced extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Rows and notes that are not committed yet. */
    private static final class Open {
        private long begun;
        private final List<Row> rows = new ArrayList<>();
        private final Map<Integer, List<Note>> notes = new HashMap<>();
    }

    /** Kafka ends transactions that take longer. */
    private static final long TRANSACTION = 500;

    final List<Row> log = new ArrayList<>();
    /** In the order of their commits. */
    final List<Row> committed = new ArrayList<>();

    private final List<List<Note>> journal = new ArrayList<>();
    /** How many lanes the last mark says to be open; committed. */
    int mark;
    /** Whose marks were committed, the last one last. */
    final List<Owner> owners = new ArrayList<>();

    private final long[] epochs;
    private final Open[] open;

    SimKafka(int lanes) {
        this.epochs = new long[lanes];
        this.open = new Open[lanes];
        for (int lane = 0; lane < lanes; lane++) {
            journal.add(new ArrayList<>());
            open[lane] = new Open();
        }
    }

    /** Ends what is open, and shuts out who has the lane. */
    long take(int lane) {
        open[lane] = new Open();
        return ++epochs[lane];
    }

    private void require(int lane, long epoch) {
        if (epochs[lane] != epoch) {
            throw new Fenced();
        }
    }

    /** The end of the log behind the rows. */
    long rows(int lane, long epoch, List<Commit.Entry> entries, long now) {
        require(lane, epoch);
        open[lane].begun = now;
        for (Commit.Entry entry : entries) {
            Row row = new Row(entry);
            log.add(row);
            open[lane].rows.add(row);
        }
        return log.size();
    }

    void note(int lane, long epoch, int into, Note note) {
        require(lane, epoch);
        open[lane].notes.computeIfAbsent(into, unused -> new ArrayList<>()).add(note);
    }

    void commit(int lane, long epoch, long now) {
        require(lane, epoch);
        if (!open[lane].rows.isEmpty() && now - open[lane].begun > TRANSACTION) {
            take(lane);
            throw new Fenced();
        }
        for (Row row : open[lane].rows) {
            row.committed = true;
            row.committedAt = now;
            committed.add(row);
        }
        open[lane].notes.forEach((into, notes) -> journal.get(into).addAll(notes));
        open[lane] = new Open();
    }

    /** Reads each lane's notes from where it was read to. */
    void read(int[] from, Map<Commit.Id, Commit> read, Set<Commit.Id> gone) {
        for (int lane = 0; lane < from.length; lane++) {
            List<Note> notes = journal.get(lane);
            for (Note note : notes.subList(from[lane], notes.size())) {
                if (note.commit() == null) {
                    gone.add(note.id());
                    read.remove(note.id());
                } else {
                    // As bytes, so that what a note lacks is missed.
                    Commit again = Commit.of(note.id(), lane, note.commit().note(7), 7);
                    if (again != null) {
                        read.put(note.id(), again);
                    }
                }
            }
            from[lane] = notes.size();
        }
    }

    /** Notes that are there for ever after. */
    int liveNotes() {
        Set<Commit.Id> live = new HashSet<>();
        journal.forEach(notes -> notes.forEach(note -> {
            if (note.commit() == null) {
                live.remove(note.id());
            } else {
                live.add(note.id());
            }
        }));
        return live.size();
    }
}
