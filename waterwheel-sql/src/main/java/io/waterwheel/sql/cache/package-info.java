/**
 * Plans that serve many statements.
 *
 * <pre>
 *   WHERE id = 7 AND note = 'a'  --LiftedText-->      WHERE id = ? AND note = ?   and   7, 'a'
 *   the text                     --PlanCache-->       its plan, which leaves values open
 *   the plan and the values      --BoundQuery-->      the query
 * </pre>
 *
 * <p>A value is left open only where it is one side of a comparison: {@link io.waterwheel.sql.cache.OpenParameters}
 * looks at each plan. Wherever else a value stands it may decide what the engine is asked, so the statement is planned
 * with it. Used by sql.plan and sql.leaf, which make the plans.
 */
@NullMarked
package io.waterwheel.sql.cache;

import org.jspecify.annotations.NullMarked;
