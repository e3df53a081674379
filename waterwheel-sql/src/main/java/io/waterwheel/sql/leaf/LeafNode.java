package io.waterwheel.sql.leaf;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;

/** A leaf of a plan as a relational operator. */
public final class LeafNode extends AbstractRelNode {
    private final Leaf leaf;
    private final RelDataType row;

    LeafNode(RelOptCluster cluster, Leaf leaf, RelDataType row) {
        super(cluster, cluster.traitSetOf(Convention.NONE));
        this.leaf = leaf;
        this.row = row;
    }

    public Leaf leaf() {
        return leaf;
    }

    /** The same with another leaf and the columns of a node that it stands for from now on. */
    public LeafNode with(Leaf other, RelDataType columns) {
        return new LeafNode(getCluster(), other, columns);
    }

    @Override
    protected RelDataType deriveRowType() {
        return row;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return this;
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("query", leaf.toString());
    }
}
