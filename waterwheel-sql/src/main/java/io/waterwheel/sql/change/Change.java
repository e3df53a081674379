package io.waterwheel.sql.change;

import java.util.List;
import java.util.Map;

/** What a statement changes. Names are as they were written. */
public sealed interface Change {
    /** The stream, or view, that is changed. */
    String stream();

    /**
     * {@code CREATE STREAM}.
     *
     * @param ifNotExists whether a stream of that name is no error
     * @param definition a stream's definition in JSON, with the members of a schema file
     */
    record Create(String stream, boolean ifNotExists, String definition) implements Change {}

    /**
     * {@code ALTER STREAM ... SET}.
     *
     * @param options by name as in a definition, such as {@code dead-letters}; at least one
     */
    record Alter(String stream, Map<String, String> options) implements Change {
        public Alter {
            options = Map.copyOf(options);
        }
    }

    /**
     * {@code DROP STREAM}.
     *
     * @param ifExists whether it is no error that there is none
     */
    record Drop(String stream, boolean ifExists) implements Change {}

    /**
     * {@code CREATE VIEW}.
     *
     * @param replace whether a view of that name gives way
     * @param columns what its columns are called; empty for the names that the query gives
     * @param query its text, behind as many blanks and line ends as the text before it has
     */
    record CreateView(String stream, boolean replace, List<String> columns, String query) implements Change {
        public CreateView {
            columns = List.copyOf(columns);
        }
    }

    /**
     * {@code DROP VIEW}.
     *
     * @param ifExists whether it is no error that there is none
     */
    record DropView(String stream, boolean ifExists) implements Change {}

    /**
     * {@code CREATE TABLE ... FROM}.
     *
     * @param replace whether a table of that name gives way
     * @param ifNotExists whether it is no error that there is one
     * @param file the path of the file, as it was written
     */
    record CreateTable(String stream, boolean replace, boolean ifNotExists, String file) implements Change {}

    /**
     * {@code DROP TABLE}.
     *
     * @param ifExists whether it is no error that there is none
     */
    record DropTable(String stream, boolean ifExists) implements Change {}

    /**
     * {@code INSERT INTO}.
     *
     * @param columns as they were written; empty for all of the stream, in their order
     * @param source the query that gives the rows, behind as many blanks and line ends as the text before it has
     */
    record Insert(String stream, List<String> columns, String source) implements Change {
        public Insert {
            columns = List.copyOf(columns);
        }
    }
}
