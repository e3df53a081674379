/**
 * Texts of statements to trees of Calcite's. {@link io.waterwheel.sql.parse.StatementParser} is the door: what
 * PostgreSQL, DuckDB and QuestDB write in ways that Calcite's parser does not know is written anew before it parses,
 * and put in place in the tree. {@link io.waterwheel.sql.parse.SqlErrors} says what is wrong, and where. Knows Calcite.
 */
@NullMarked
package io.waterwheel.sql.parse;

import org.jspecify.annotations.NullMarked;
