package io.waterwheel.sql.leaf;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;

/** All rows of a system table as a relational operator. */
public final class SystemNode extends AbstractRelNode {
    private final SystemRelation table;
    private final RelDataType row;

    SystemNode(RelOptCluster cluster, SystemRelation table, RelDataType row) {
        super(cluster, cluster.traitSetOf(Convention.NONE));
        this.table = table;
        this.row = row;
    }

    public SystemRelation table() {
        return table;
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
        return super.explainTerms(writer).item("table", table.name());
    }
}
