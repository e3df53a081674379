package io.waterwheel.sql;

import io.waterwheel.schema.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The streams that statements may name. Thread-safe; may block. */
public interface StreamSchemas {
    /** The names of all streams, in their order. */
    List<String> names();

    /** The schema of the stream of this name, in the letters it was created with; null when there is none. */
    @Nullable
    Schema schema(String name);

    /** The view of this name; the exact one, else in other letters; null when there is none. */
    default @Nullable SqlView view(String name) {
        return null;
    }

    /**
     * The table of a file of this name, in other letters perhaps; null when there is none. Asked of names alone that no
     * stream has.
     */
    default @Nullable SystemTable file(String name) {
        return null;
    }

    /** The tables about the server. */
    default List<SystemTable> systemTables() {
        return List.of();
    }
}
