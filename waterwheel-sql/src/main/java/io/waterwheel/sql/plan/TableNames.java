package io.waterwheel.sql.plan;

import io.waterwheel.sql.StreamSchemas;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * The names behind FROM and JOIN in a statement: of streams, and of what it names by WITH. Those of system tables are
 * left out: no stream is meant by them, and the catalog need not be asked for one.
 */
final class TableNames extends SqlBasicVisitor<@Nullable Void> {
    private final Set<String> names = new TreeSet<>();

    private final Set<String> system;

    private TableNames(Set<String> system) {
        this.system = system;
    }

    /** Qualified names of the system tables, in small letters. */
    static Set<String> system(StreamSchemas streams) {
        return streams.systemTables().stream()
                .map(table -> table.qualifiedName().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    /** @param system qualified names of system tables, in small letters */
    static Set<String> of(SqlNode statement, Set<String> system) {
        TableNames found = new TableNames(system);
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
            int last = name.names.size() - 1;
            boolean known = last > 0
                    && system.contains(
                            (name.names.get(last - 1) + "." + name.names.get(last)).toLowerCase(Locale.ROOT));
            if (!known) {
                names.add(name.names.get(last));
            }
        } else if (node instanceof SqlJoin join) {
            from(join.getLeft());
            from(join.getRight());
        } else if (node instanceof SqlCall call
                && (node.getKind() == SqlKind.AS || node.getKind() == SqlKind.TABLESAMPLE)) {
            from(call.operand(0));
        }
    }
}
