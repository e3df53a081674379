/**
 * One query from plan to verdict: {@link io.waterwheel.query.run.QueryRunner} asks indexers and query servers, plans
 * again where a snapshot is too old, and merges what they answer into the client's sink. Uses all of query.*.
 */
@NullMarked
package io.waterwheel.query.run;

import org.jspecify.annotations.NullMarked;
