package io.waterwheel.sql.plan;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.sql.SqlView;
import io.waterwheel.sql.StreamSchemas;
import io.waterwheel.sql.cache.LiftedText;
import io.waterwheel.sql.leaf.Literals;
import io.waterwheel.sql.parse.SqlErrors;
import io.waterwheel.sql.parse.StatementParser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * Puts the queries of views in place of their names, so that a statement is planned as if they were written there:
 * {@code FROM v} becomes {@code FROM (SELECT ...) AS v (its columns)}. What WITH names hides a view, and so does a
 * stream.
 */
final class ViewExpansion {
    private static final int MOST_NESTED = 8;
    /** Put into one statement; a view that is named twice is put in twice. */
    private static final int MOST_PUT = 32;

    private final StreamSchemas streams;
    /** The views that were named, by their names. */
    private final Map<String, SqlView> used = new HashMap<>();

    private int put;

    private ViewExpansion(StreamSchemas streams) {
        this.streams = streams;
    }

    /** A statement, and the views that were put into it. */
    record Expanded(SqlNode node, Map<String, SqlView> views) {
        /** Whether a view asks for the time of the statement. */
        boolean hasNow() {
            return views.values().stream().anyMatch(view -> LiftedText.of(view.query(), List.of(), Literals::instant)
                    .hasNow());
        }
    }

    static Expanded of(SqlNode statement, StreamSchemas streams) {
        return of(statement, streams, List.of());
    }

    /** @param within names of views whose query the statement is; to name one of them again is a cycle */
    static Expanded of(SqlNode statement, StreamSchemas streams, List<String> within) {
        ViewExpansion expansion = new ViewExpansion(streams);
        expansion.expand(statement, Set.of(), within);
        return new Expanded(statement, Map.copyOf(expansion.used));
    }

    /** Changes the node itself, which is the caller's own. */
    private void expand(@Nullable SqlNode node, Set<String> hidden, List<String> within) {
        if (node instanceof SqlWith with) {
            Set<String> names = new HashSet<>(hidden);
            for (SqlNode one : with.withList) {
                SqlWithItem item = (SqlWithItem) one;
                if (item.recursive.booleanValue()) {
                    names.add(key(item.name.getSimple()));
                }
                expand(item.query, names, within);
                names.add(key(item.name.getSimple()));
            }
            expand(with.body, names, within);
            return;
        }
        if (node instanceof SqlSelect select && select.getFrom() != null) {
            select.setFrom(from(select.getFrom(), hidden, within));
        }
        List<@Nullable SqlNode> parts = node instanceof SqlNodeList list
                ? list.getList()
                : node instanceof SqlCall call ? call.getOperandList() : List.of();
        SqlNode from = node instanceof SqlSelect select ? select.getFrom() : null;
        for (SqlNode part : parts) {
            if (part != from) {
                expand(part, hidden, within);
            }
        }
    }

    private static String key(String name) {
        return name.toUpperCase(Locale.ROOT);
    }

    private SqlNode from(SqlNode node, Set<String> hidden, List<String> within) {
        if (node instanceof SqlIdentifier name) {
            SqlView view = view(name, hidden);
            return view == null
                    ? within.isEmpty() ? node : qualified(name, hidden)
                    : named(view, new SqlIdentifier(view.name(), node.getParserPosition()), node, within);
        } else if (node instanceof SqlJoin join) {
            join.setLeft(from(join.getLeft(), hidden, within));
            join.setRight(from(join.getRight(), hidden, within));
            expand(join.getCondition(), hidden, within);
            return join;
        } else if (node instanceof SqlCall call && node.getKind() == SqlKind.AS) {
            SqlView view = call.operand(0) instanceof SqlIdentifier name ? view(name, hidden) : null;
            if (view == null) {
                call.setOperand(0, from(call.operand(0), hidden, within));
                return call;
            }
            SqlNode body = body(view, call.operand(0), within);
            if (call.operandCount() > 2) {
                call.setOperand(0, body);
                return call;
            }
            return named(view, call.operand(1), node, within);
        }
        expand(node, hidden, within);
        return node;
    }

    /** So that a WITH around the view's name does not hide the stream that the view is over. */
    private static SqlNode qualified(SqlIdentifier name, Set<String> hidden) {
        return !name.isSimple() || hidden.contains(key(name.getSimple()))
                ? name
                : new SqlIdentifier(List.of("public", name.getSimple()), name.getParserPosition());
    }

    private @Nullable SqlView view(SqlIdentifier name, Set<String> hidden) {
        List<String> parts = name.names;
        String last = parts.get(parts.size() - 1);
        boolean ours = parts.size() == 1 || parts.get(parts.size() - 2).equalsIgnoreCase("public");
        if (!ours
                || (parts.size() == 1 && hidden.contains(key(last)))
                || streams.names().stream().anyMatch(last::equalsIgnoreCase)) {
            return null;
        }
        return streams.view(last);
    }

    private SqlNode named(SqlView view, SqlNode alias, SqlNode at, List<String> within) {
        List<SqlNode> operands = new ArrayList<>();
        operands.add(body(view, at, within));
        operands.add(alias);
        view.columns().forEach(column -> operands.add(new SqlIdentifier(column, at.getParserPosition())));
        return SqlStdOperatorTable.AS.createCall(at.getParserPosition(), operands);
    }

    private SqlNode body(SqlView view, SqlNode at, List<String> within) {
        if (within.stream().anyMatch(view.name()::equalsIgnoreCase)) {
            throw SqlErrors.at(
                    at.getParserPosition(),
                    "view " + view.name() + " would be over itself: " + String.join(", ", within) + ", " + view.name());
        } else if (within.size() >= MOST_NESTED) {
            throw SqlErrors.at(at.getParserPosition(), "views are over each other more than " + MOST_NESTED + " deep");
        }
        if (++put > MOST_PUT) {
            throw SqlErrors.unsupported(
                    "with view " + view.name() + " it has over " + MOST_PUT + " views, those of views among them");
        }
        used.put(view.name(), view);
        SqlNode query = StatementParser.parse(view.query()).accept(new Moved(at.getParserPosition()));
        if (query == null) {
            throw new IllegalStateException("the query of a view became nothing");
        }
        List<String> deeper = new ArrayList<>(within);
        deeper.add(view.name());
        requireTables(view, query, at.getParserPosition());
        expand(query, Set.of(), deeper);
        return query;
    }

    /** Names the view whose stream is gone. */
    private void requireTables(SqlView view, SqlNode query, SqlParserPos position) {
        Set<String> defined = new HashSet<>();
        query.accept(new SqlShuttle() {
            @Override
            public @Nullable SqlNode visit(SqlCall call) {
                if (call instanceof SqlWithItem item) {
                    defined.add(key(item.name.getSimple()));
                }
                return super.visit(call);
            }
        });
        for (String name : TableNames.of(query, TableNames.system(streams))) {
            boolean known = defined.contains(key(name))
                    || streams.names().stream().anyMatch(name::equalsIgnoreCase)
                    || streams.schema(name) != null
                    || streams.view(name) != null
                    || streams.file(name) != null;
            if (!known) {
                throw new WaterwheelException(
                        ErrorCode.NO_SUCH_STREAM,
                        SqlErrors.place(position) + "view " + view.name() + " is over '" + name
                                + "', and there is no stream or view of that name; make it anew, or replace the view");
            }
        }
    }

    /** Errors name places of the statement, not of the view's text. */
    private static final class Moved extends SqlShuttle {
        private final SqlParserPos to;

        Moved(SqlParserPos to) {
            this.to = to;
        }

        @Override
        public SqlNode visit(SqlLiteral literal) {
            return literal.clone(to);
        }

        @Override
        public SqlNode visit(SqlIdentifier identifier) {
            return identifier.clone(to);
        }

        @Override
        public @Nullable SqlNode visit(SqlCall call) {
            SqlNode same = super.visit(call);
            return same == null ? null : same.clone(to);
        }

        @Override
        public @Nullable SqlNode visit(SqlNodeList list) {
            SqlNode same = super.visit(list);
            return same == null ? null : same.clone(to);
        }

        @Override
        public SqlNode visit(SqlDataTypeSpec type) {
            return type;
        }

        @Override
        public SqlNode visit(SqlDynamicParam mark) {
            return mark;
        }

        @Override
        public SqlNode visit(SqlIntervalQualifier qualifier) {
            return qualifier;
        }
    }
}
