package io.waterwheel.topology.sql;

import io.waterwheel.catalog.state.View;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.NearestName;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.SqlPlan;
import io.waterwheel.sql.SqlPlanner;
import io.waterwheel.sql.StatementPlan;
import io.waterwheel.sql.SystemPlan;
import io.waterwheel.sql.change.Change;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes and drops views, and tells of their columns. Thread-safe; blocks. */
final class ViewChanges {
    private static final Logger LOG = LoggerFactory.getLogger(ViewChanges.class);

    private final KnownStreams streams;

    ViewChanges(KnownStreams streams) {
        this.streams = streams;
    }

    /** @param client who asks, for the log */
    String create(Change.CreateView change, String client) {
        String name = change.stream();
        if (!Field.isName(name)) {
            throw refused(name, "expected a name of letters, digits and underscores");
        } else if (streams.find(streams.nameOf(name)) != null) {
            throw refused(name, "there is a stream of that name");
        } else if (streams.tables().find(name) != null) {
            throw refused(name, "there is a table of that name");
        }
        View before = streams.views().find(name);
        String query = query(change.query());
        StatementPlan plan = new SqlPlanner(streams).view(name, change.query(), Instant.now());
        List<String> labels = labels(plan);
        List<String> columns = change.columns().isEmpty() ? labels : change.columns();
        if (columns.size() != labels.size()) {
            throw refused(name, "its query has " + labels.size() + " columns, and " + columns.size() + " are named");
        }
        requireNames(name, columns);
        // In the letters that the one has which it replaces: names are found in any.
        String kept = before == null ? name : before.name();
        boolean unused = streams.views().change(() -> {
            streams.viewCatalog().create(new View(kept, columns, query), change.replace());
            return true;
        });
        LOG.info(
                "[views] view {} {} by {}: {}",
                kept,
                before == null ? "created" : "replaced",
                client,
                query.replaceAll("\\s+", " "));
        return "view " + kept + (before == null ? " created" : " replaced");
    }

    /** @param client who asks, for the log */
    String drop(Change.DropView change, String client) {
        View view = streams.views().find(change.stream());
        boolean dropped =
                streams.views().change(() -> streams.viewCatalog().drop(view == null ? change.stream() : view.name()));
        if (!dropped && !change.ifExists()) {
            String otherwise = streams.otherwise(change.stream());
            throw new WaterwheelException(
                    ErrorCode.NO_SUCH_VIEW,
                    "statement: there is no view '" + change.stream() + "'"
                            + (otherwise.isEmpty()
                                    ? NearestName.question(
                                            change.stream(),
                                            streams.views().all().keySet())
                                    : otherwise));
        } else if (!dropped) {
            return "there is no view " + change.stream();
        }
        String name = view == null ? change.stream() : view.name();
        LOG.info("[views] view {} dropped by {}", name, client);
        return "view " + name + " dropped";
    }

    /** Without the semicolons that end it. */
    private static String query(String written) {
        String query = written.strip();
        while (query.endsWith(";")) {
            query = query.substring(0, query.length() - 1).stripTrailing();
        }
        return query;
    }

    private static void requireNames(String view, List<String> columns) {
        Set<String> seen = new HashSet<>();
        for (int c = 0; c < columns.size(); c++) {
            String column = columns.get(c);
            if (!Field.isName(column)) {
                throw refused(view, "column " + (c + 1) + " is called '" + column + "'; give it a name by AS");
            } else if (!seen.add(column.toLowerCase(Locale.ROOT))) {
                throw refused(view, "two columns are called '" + column + "'; give one another name by AS");
            }
        }
    }

    private static WaterwheelException refused(String view, String why) {
        return new WaterwheelException(ErrorCode.BAD_SQL, "statement: view " + view + ": " + why);
    }

    private static List<String> labels(StatementPlan plan) {
        if (plan instanceof SqlPlan one) {
            return one.columns().stream().map(column -> column.label()).toList();
        } else if (plan instanceof SystemPlan system) {
            return system.columns().stream().map(column -> column.label()).toList();
        }
        return ((ResidualPlan) plan).labels();
    }

    /**
     * The columns of a view.
     *
     * @throws WaterwheelException when it cannot be planned, as when its stream was dropped
     */
    List<Field> fields(View view) {
        StatementPlan plan = new SqlPlanner(streams).view(view.name(), view.query(), Instant.now());
        List<Field> of = new ArrayList<>();
        if (plan instanceof SqlPlan one) {
            one.columns().forEach(column -> of.add(one.fields().get(column.field())));
        } else if (plan instanceof SystemPlan system) {
            system.columns().forEach(column -> of.add(system.fields().get(column.field())));
        } else {
            of.addAll(((ResidualPlan) plan).fields());
        }
        if (of.size() != view.columns().size()) {
            throw refused(view.name(), "its query has other columns now; replace it");
        }
        List<Field> fields = new ArrayList<>();
        for (int c = 0; c < of.size(); c++) {
            fields.add(new Field(view.columns().get(c), of.get(c).type(), true));
        }
        return fields;
    }
}
