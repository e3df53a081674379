/**
 * Rows on their way to an answer: who takes them ({@link io.waterwheel.query.rows.RowSink}), who makes a part of them
 * at one tree or chunk ({@link io.waterwheel.query.rows.RowCollector}), who makes an answer of the parts
 * ({@link io.waterwheel.query.rows.PartialMerge}); how rows are copied and ordered, and how a bounded number of them is
 * kept. The newest row of each key is in query.newest; kinds of results, and groups, are in query.result. Memory is
 * reserved before it is taken. Tests: {@code QueryMemoryTest} in query.run, {@code LatestOfTextTest} and others in
 * local. Uses query, query.column, query.memory and query.aggregate.state.
 */
@NullMarked
package io.waterwheel.query.rows;

import org.jspecify.annotations.NullMarked;
