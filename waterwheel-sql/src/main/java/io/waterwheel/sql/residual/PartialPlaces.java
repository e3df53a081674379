package io.waterwheel.sql.residual;

import io.waterwheel.sql.leaf.Leaf;
import io.waterwheel.sql.leaf.LeafNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelDigest;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AsofJoin;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;

/** Where groups may take the place of tuples in a plan: leaves below the joins of an aggregate. */
final class PartialPlaces {
    /** How often each leaf is in the plan. */
    private final Map<Leaf, Integer> leaves = new HashMap<>();
    /** How often each aggregate is. */
    private final Map<RelDigest, Integer> aggregates = new HashMap<>();

    /**
     * A leaf of tuples below joins.
     *
     * @param path from the aggregate to the leaf, of each join the number of its input
     */
    record Place(LeafNode leaf, List<Integer> path) {}

    private PartialPlaces() {}

    static PartialPlaces in(RelNode root) {
        PartialPlaces places = new PartialPlaces();
        places.count(root);
        return places;
    }

    private void count(RelNode node) {
        if (node instanceof LeafNode leaf) {
            leaves.merge(leaf.leaf(), 1, Integer::sum);
        } else if (node instanceof Aggregate) {
            aggregates.merge(node.getRelDigest(), 1, Integer::sum);
        }
        node.getInputs().forEach(this::count);
    }

    /**
     * The places of an aggregate.
     *
     * @param before the same aggregate as it is in the plan that was counted
     */
    List<Place> of(Aggregate aggregate, Aggregate before) {
        List<Place> places = new ArrayList<>();
        collect(aggregate.getInput(), List.of(), places);
        places.removeIf(place -> !areIn(before, place.leaf().leaf()));
        return places;
    }

    /**
     * Whether all places of a leaf are in aggregates that are alike, one in each: they become one leaf of groups. A
     * leaf is read once, so that all its places see the same rows.
     */
    private boolean areIn(Aggregate aggregate, Leaf leaf) {
        return in(aggregate).leaves.getOrDefault(leaf, 0) == 1
                && leaves.getOrDefault(leaf, 0).equals(aggregates.get(aggregate.getRelDigest()));
    }

    /** Leaves of tuples below joins, under operators that look at nothing but the values of a row. */
    private static void collect(RelNode node, List<Integer> path, List<Place> into) {
        if (node instanceof LeafNode leaf) {
            if (!path.isEmpty() && leaf.leaf().plain()) {
                into.add(new Place(leaf, path));
            }
        } else if ((node instanceof Project project
                        && !project.containsOver()
                        && project.getVariablesSet().isEmpty())
                || (node instanceof Filter filter
                        && !filter.containsOver()
                        && filter.getVariablesSet().isEmpty())) {
            collect(node.getInput(0), path, into);
        } else if (node instanceof Join join
                && !(node instanceof AsofJoin)
                && join.getVariablesSet().isEmpty()) {
            int sides = join.getJoinType().projectsRight() ? 2 : 1;
            for (int side = 0; side < sides; side++) {
                List<Integer> longer = new ArrayList<>(path);
                longer.add(side);
                collect(join.getInput(side), List.copyOf(longer), into);
            }
        }
    }
}
