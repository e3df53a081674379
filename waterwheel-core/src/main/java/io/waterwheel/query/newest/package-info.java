/**
 * The newest row of each key: the parts that trees and chunks give ({@link io.waterwheel.query.newest.NewestRows}), and
 * their merge ({@link io.waterwheel.query.newest.NewestMerge}). Where more than one row of each key stays,
 * {@code LatestRows} in query.rows does both. Tests: {@code NewestMergeTest} here, {@code LatestOfTextTest} and
 * {@code LatestOfKeysTest} in local. Uses query, query.column, query.memory and query.rows.
 */
@NullMarked
package io.waterwheel.query.newest;

import org.jspecify.annotations.NullMarked;
