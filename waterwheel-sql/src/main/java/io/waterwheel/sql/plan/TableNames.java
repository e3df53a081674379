package io.waterwheel.sql.plan;

import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/** The names behind FROM and JOIN in a statement: of streams, and of what it names by WITH. */
final class TableNames extends SqlBasicVisitor<@Nullable Void> {
    private final Set<String> names = new TreeSet<>();

    private TableNames() {}

    static Set<String> of(SqlNode statement) {
        TableNames found = new TableNames();
        statement.accept(found);
        return found.names;
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        if (call instanceof SqlSelect select && select.getFrom() != null) {
            from(select.getFrom());
        }
        return super.visit(call);
    }

    private void from(SqlNode node) {
        if (node instanceof SqlIdentifier name) {
            names.add(name.names.get(name.names.size() - 1));
        } else if (node instanceof SqlJoin join) {
            from(join.getLeft());
            from(join.getRight());
        } else if (node instanceof SqlCall call && node.getKind() == SqlKind.AS) {
            from(call.operand(0));
        }
    }
}
