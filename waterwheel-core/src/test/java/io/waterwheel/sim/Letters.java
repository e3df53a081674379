package io.waterwheel.sim;

import io.waterwheel.ingest.dispatch.RefusedRow;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A partition's part of the dead-letter topic: letters by their key, stored by whoever, as often as may be. */
final class Letters {
    private final Set<String> rows = new HashSet<>();
    private final Set<Long> offsets = new HashSet<>();

    /** Offsets of which a row is stored. */
    Set<Long> offsets() {
        return offsets;
    }

    /** Letters, each counted once. */
    int size() {
        return rows.size();
    }

    /** Stores letters, in the places of those of the same keys. */
    void store(List<RefusedRow> letters) {
        for (RefusedRow letter : letters) {
            rows.add(letter.offset() + "/" + letter.index());
            offsets.add(letter.offset());
        }
    }
}
