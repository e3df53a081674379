package io.waterwheel.catalog.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What changed among a stream's chunks after edit {@code from} up to edit {@code to}. Several that follow each other
 * become one; the chunks at an edit are the changes from 0 up to it. Not thread-safe.
 */
public final class ChunkChanges {
    private final long from;
    private long to;
    private final Map<String, ChunkDescriptor> added = new HashMap<>();
    /** Files of chunks that an earlier change added. */
    private final Set<String> removed = new HashSet<>();

    public ChunkChanges(long from) {
        this.from = from;
        this.to = from;
    }

    /** All of a snapshot's chunks, as changes from nothing. */
    public static ChunkChanges of(StreamSnapshot snapshot) {
        ChunkChanges all = new ChunkChanges(0);
        snapshot.allChunks().forEach(entry -> all.add(entry.value()));
        all.to = snapshot.edit();
        return all;
    }

    public long from() {
        return from;
    }

    public long to() {
        return to;
    }

    public int entries() {
        return added.size() + removed.size();
    }

    public int removedCount() {
        return removed.size();
    }

    /** In an order that only depends on what they are. */
    public List<ChunkDescriptor> added() {
        List<ChunkDescriptor> all = new ArrayList<>(added.values());
        all.sort((a, b) -> {
            int order = Integer.compare(a.indexer(), b.indexer());
            order = order != 0 ? order : Integer.compare(a.epoch(), b.epoch());
            order = order != 0 ? order : Long.compare(a.flush(), b.flush());
            order = order != 0 ? order : Integer.compare(a.part(), b.part());
            return order != 0 ? order : a.file().compareTo(b.file());
        });
        return all;
    }

    public List<String> removed() {
        return removed.stream().sorted().toList();
    }

    /** Follows an edit; its number must be the next. */
    public void apply(long number, Edit edit) {
        if (number != to + 1) {
            throw new IllegalArgumentException("edit " + number + " does not follow edit " + to);
        }
        to = number;
        edit.applyTo(this);
    }

    /** As it was read from a file. */
    public void restore(long upTo, List<ChunkDescriptor> chunks, List<String> files) {
        to = upTo;
        chunks.forEach(this::add);
        removed.addAll(files);
    }

    void add(ChunkDescriptor chunk) {
        if (added.put(chunk.file(), chunk) != null) {
            throw new IllegalStateException(
                    "chunk " + chunk.file() + " was added twice between edits " + from + " and " + to);
        }
    }

    void remove(String file) {
        if (added.remove(file) == null && !removed.add(file)) {
            throw new IllegalStateException(
                    "chunk " + file + " was removed twice between edits " + from + " and " + to);
        }
    }

    /**
     * Leaves out chunks that end before a horizon. For changes that are complete: no later edit removes such a chunk,
     * as it is not in a snapshot of that horizon.
     */
    public void expire(long horizon) {
        added.values().removeIf(chunk -> StreamSnapshot.isBefore(horizon, chunk));
    }

    /** These changes and then the later ones, as one. */
    public ChunkChanges then(ChunkChanges later) {
        if (later.from < to) {
            throw new IllegalArgumentException("changes from edit " + later.from + " do not follow edit " + to);
        }
        ChunkChanges both = new ChunkChanges(from);
        both.added.putAll(added);
        both.removed.addAll(removed);
        later.removed.forEach(both::remove);
        later.added.values().forEach(both::add);
        both.to = later.to;
        return both;
    }
}
