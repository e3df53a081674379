package io.waterwheel.sql.plan;

import java.util.List;
import org.apache.calcite.plan.RelOptPredicateList;
import org.apache.calcite.plan.RelOptRuleCall;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.rules.JoinPushTransitivePredicatesRule;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.tools.RelBuilder;

/**
 * Carries conditions on one side of a join to the other: of {@code o.id = v.id AND o.id < 9} follows {@code v.id < 9}.
 * Those alone that cannot fail, for the statement does not ask them of rows that are joined with nothing.
 */
final class CarriedConditions extends JoinPushTransitivePredicatesRule {
    CarriedConditions() {
        super(Config.DEFAULT);
    }

    @Override
    public void onMatch(RelOptRuleCall call) {
        Join join = call.rel(0);
        RelOptPredicateList known = call.getMetadataQuery().getPulledUpPredicates(join);
        List<RexNode> left = safe(known.leftInferredPredicates);
        List<RexNode> right = safe(known.rightInferredPredicates);
        if (left.isEmpty() && right.isEmpty()) {
            return;
        }
        RelNode narrow = join.copy(
                join.getTraitSet(),
                join.getCondition(),
                filtered(call.builder(), join.getLeft(), left),
                filtered(call.builder(), join.getRight(), right),
                join.getJoinType(),
                join.isSemiJoinDone());
        call.getPlanner().prune(join);
        call.transformTo(narrow);
    }

    /**
     * Without those that a key of the join is not null: the join says as much, and two places that read the same
     * otherwise would be two leaves. And without those on a row that a sub-query is asked for: they would be carried
     * out of it.
     */
    private static List<RexNode> safe(List<RexNode> conditions) {
        return conditions.stream()
                .filter(condition -> !condition.isA(SqlKind.IS_NOT_NULL)
                        && !RexUtil.containsCorrelation(condition)
                        && Failures.impossible(condition))
                .toList();
    }

    private static RelNode filtered(RelBuilder builder, RelNode input, List<RexNode> conditions) {
        return builder.push(input).filter(conditions).build();
    }
}
