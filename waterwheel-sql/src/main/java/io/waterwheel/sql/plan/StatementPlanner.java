package io.waterwheel.sql.plan;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.SqlColumn;
import io.waterwheel.sql.SqlConstants;
import io.waterwheel.sql.SqlPlan;
import io.waterwheel.sql.SqlPlanner;
import io.waterwheel.sql.SqlSignature;
import io.waterwheel.sql.SqlValues;
import io.waterwheel.sql.StatementPlan;
import io.waterwheel.sql.StreamSchemas;
import io.waterwheel.sql.SystemPlan;
import io.waterwheel.sql.SystemTable;
import io.waterwheel.sql.cache.LiftedText;
import io.waterwheel.sql.cache.OpenParameters;
import io.waterwheel.sql.cache.ParameterFunction;
import io.waterwheel.sql.cache.PlanCache;
import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.leaf.ExactFolding;
import io.waterwheel.sql.leaf.Leaf;
import io.waterwheel.sql.leaf.LeafNode;
import io.waterwheel.sql.leaf.LeafPushdown;
import io.waterwheel.sql.leaf.Literals;
import io.waterwheel.sql.leaf.MixedNumbers;
import io.waterwheel.sql.leaf.NotPushed;
import io.waterwheel.sql.leaf.SqlTypes;
import io.waterwheel.sql.leaf.StreamTable;
import io.waterwheel.sql.leaf.SystemNode;
import io.waterwheel.sql.leaf.SystemRelation;
import io.waterwheel.sql.parse.AddressLiterals;
import io.waterwheel.sql.parse.Convertlets;
import io.waterwheel.sql.parse.NearFunctions;
import io.waterwheel.sql.parse.OuterAggregates;
import io.waterwheel.sql.parse.SqlErrors;
import io.waterwheel.sql.parse.StatementFaults;
import io.waterwheel.sql.parse.StatementParser;
import io.waterwheel.sql.parse.TextCoercion;
import io.waterwheel.sql.residual.PartialAggregates;
import io.waterwheel.sql.residual.ResidualPlanner;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.calcite.config.CalciteConnectionConfigImpl;
import org.apache.calcite.config.NullCollation;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.plan.Contexts;
import org.apache.calcite.plan.ConventionTraitDef;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCostImpl;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.plan.hep.HepProgramBuilder;
import org.apache.calcite.plan.volcano.VolcanoPlanner;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.RelFactories;
import org.apache.calcite.rel.rules.FilterAggregateTransposeRule;
import org.apache.calcite.rel.rules.FilterCorrelateRule;
import org.apache.calcite.rel.rules.FilterJoinRule.FilterIntoJoinRule;
import org.apache.calcite.rel.rules.FilterJoinRule.JoinConditionPushRule;
import org.apache.calcite.rel.rules.FilterMergeRule;
import org.apache.calcite.rel.rules.FilterProjectTransposeRule;
import org.apache.calcite.rel.rules.FilterSetOpTransposeRule;
import org.apache.calcite.rel.rules.ProjectJoinTransposeRule;
import org.apache.calcite.rel.rules.ProjectMergeRule;
import org.apache.calcite.rel.rules.ProjectRemoveRule;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperatorTable;
import org.apache.calcite.sql.fun.SqlLibrary;
import org.apache.calcite.sql.fun.SqlLibraryOperatorTableFactory;
import org.apache.calcite.sql.util.SqlOperatorTables;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.apache.calcite.sql2rel.RelFieldTrimmer;
import org.apache.calcite.sql2rel.SqlToRelConverter;
import org.apache.calcite.tools.RelBuilder;
import org.jspecify.annotations.Nullable;

/** Plans statements, each anew: text, tree, names and types, operators, leaves. Thread-safe. */
public final class StatementPlanner {
    /**
     * What is computed of one side of a join is computed by its leaf, unless it may fail: the leaf has rows that the
     * join drops. A window is over the rows of the join. A whole number that Calcite makes a double of, to compare it
     * with one, stays beside what it is compared with: the exact values are compared.
     */
    private static final RelOptRule COMPUTE_BELOW_JOINS = ProjectJoinTransposeRule.Config.DEFAULT
            .withPreserveExprCondition(node -> Failures.impossible(node) && !MixedNumbers.isWidened(node))
            .toRule();

    // Rules are made one by one: CoreRules makes all that Calcite has, for the first statement of a process.
    private static final List<RelOptRule> TOWARDS_LEAVES = List.of(
            FilterIntoJoinRule.FilterIntoJoinRuleConfig.DEFAULT.toRule(),
            JoinConditionPushRule.JoinConditionPushRuleConfig.DEFAULT.toRule(),
            FilterProjectTransposeRule.Config.DEFAULT.withCopyFilter(false).toRule(),
            FilterCorrelateRule.Config.DEFAULT.toRule(),
            FilterAggregateTransposeRule.Config.DEFAULT.toRule(),
            FilterSetOpTransposeRule.Config.DEFAULT.toRule(),
            FilterMergeRule.Config.DEFAULT.toRule(),
            COMPUTE_BELOW_JOINS,
            ProjectMergeRule.Config.DEFAULT.toRule(),
            ProjectRemoveRule.Config.DEFAULT.toRule());

    /** The rule that carries conditions over joins makes some again and again, in another form. */
    private static final int MOST_CARRIED = 16;

    /** Conditions as near to the leaves as they go. */
    private static final HepProgram NARROW = new HepProgramBuilder()
            .addRuleCollection(TOWARDS_LEAVES)
            .addMatchLimit(MOST_CARRIED)
            .addRuleInstance(new CarriedConditions())
            .addMatchLimit(HepProgram.MATCH_UNTIL_FIXPOINT)
            .addRuleCollection(TOWARDS_LEAVES)
            .build();

    /** What drivers know the streams by; tables about the server are in a schema of this name. */
    private static final String CATALOG = "waterwheel";

    /** Each is looked up in the catalog. */
    private static final int MOST_NAMES = 64;

    private final StreamSchemas streams;
    /** Whether queries of the engine answer more than whole streams. */
    private final boolean pushes;

    private final PlanCache cache;
    private final EngineFunctions functions = new EngineFunctions();
    private final SqlOperatorTable operators;

    /** @param pushes whether queries of the engine answer more than whole streams */
    public StatementPlanner(StreamSchemas streams, boolean pushes) {
        this.streams = streams;
        this.pushes = pushes;
        this.cache = new PlanCache(streams);
        this.operators = SqlOperatorTables.chain(
                SqlOperatorTables.of(functions.operators()),
                SqlLibraryOperatorTableFactory.INSTANCE.getOperatorTable(SqlLibrary.STANDARD, SqlLibrary.POSTGRESQL));
    }

    /** As {@link SqlPlanner#plan} says. */
    public StatementPlan plan(String statement, List<Expression.Literal> parameters, Instant now) {
        return guarded(statement, () -> {
            if (statement.length() > PlanCache.MOST_CHARACTERS) {
                return planned(statement, parameters, now);
            }
            LiftedText.Lifted lifted = LiftedText.of(statement, parameters, Literals::instant);
            String key = lifted.marks() == parameters.size() ? key(lifted) : null;
            StatementPlan known = key == null ? null : byKey(key, lifted, now);
            if (known != null) {
                return known;
            }
            boolean fixed = parameters.isEmpty() && !lifted.hasNow();
            PlanCache.Entry same = fixed ? cache.get(statement) : null;
            if (same != null && same.plan() != null) {
                return same.plan();
            }
            ViewExpansion.Expanded query = query(statement);
            Validated valid = validated(query.node(), parameters, now);
            StatementPlan plan = planned(valid, null);
            if (key != null) {
                cache.put(key, PlanCache.Entry.none(valid.schemas(), query.views()));
            }
            // What a table of a file is changes without the streams.
            boolean ofFiles =
                    plan instanceof ResidualPlan residual && !residual.files().isEmpty();
            if (fixed && !query.hasNow() && !ofFiles) {
                cache.put(statement, PlanCache.Entry.of(plan, new IdentityHashMap<>(), valid.schemas(), query.views()));
            }
            return plan;
        });
    }

    /** What statements have in common that differ in their values alone; null where the types of values decide. */
    private static @Nullable String key(LiftedText.Lifted lifted) {
        StringBuilder key = new StringBuilder(lifted.text()).append('\0');
        for (Expression.Literal value : lifted.values()) {
            char letter = ParameterFunction.letter(value);
            if (letter == 0) {
                return null;
            }
            key.append(letter);
        }
        return key.toString();
    }

    /** Their plan, with the values of this one; null when there is none. */
    private @Nullable StatementPlan byKey(String key, LiftedText.Lifted lifted, Instant now) {
        PlanCache.Entry entry = cache.get(key);
        if (entry == null) {
            entry = opened(lifted);
            if (entry == null) {
                return null;
            }
            cache.put(key, entry);
        }
        StatementPlan plan = entry.plan();
        try {
            return plan == null ? null : entry.bound(plan, lifted.values(), now);
        } catch (IllegalArgumentException e) {
            // A value is out of range: the words for it are those of the statement.
            return null;
        }
    }

    private PlanCache.@Nullable Entry opened(LiftedText.Lifted lifted) {
        try {
            OpenParameters open = OpenParameters.of(lifted.values(), Literals::interval);
            ViewExpansion.Expanded query = query(lifted.text());
            if (open == null
                    || ParameterMarks.of(query.node()).size() != lifted.values().size()) {
                return null;
            }
            List<String> labels = ColumnLabels.unnamed(query.node());
            SqlNode rewritten = Objects.requireNonNull(query.node().accept(new Rewriter(functions, open)));
            Validated valid = validated(rewritten, labels, SqlOperatorTables.chain(open.operators(), operators));
            return PlanCache.Entry.of(planned(valid, open), open.placed(), valid.schemas(), query.views());
        } catch (RuntimeException | AssertionError e) {
            // Of whatever kind: planned as it was written, the statement says what is wrong.
            return null;
        }
    }

    /** A value decides on the plan. */
    private static final class NoOpenPlan extends RuntimeException {
        private static final long serialVersionUID = 1;

        NoOpenPlan() {
            super("a value decides on the plan", null, false, false);
        }
    }

    /** As {@link SqlPlanner#constants} says. */
    public static @Nullable SqlConstants constants(String statement, Instant now) {
        try {
            return ConstantSelect.of(StatementParser.parse(statement), now);
        } catch (WaterwheelException | StackOverflowError e) {
            // Read as a query, it says what is wrong.
            return null;
        }
    }

    /** As {@link SqlPlanner#instant} says. */
    public static Instant instant(String text) {
        return Literals.instant(text);
    }

    /** As {@link SqlPlanner#values} says. */
    public static @Nullable SqlValues values(String statement, Instant now) {
        return guarded(statement, () -> ValueRows.of(StatementParser.parse(statement), now));
    }

    /** As {@link SqlPlanner#signature} says. */
    public SqlSignature signature(String statement, List<ValueType> columns, Instant now) {
        return guarded(statement, () -> {
            SqlNode parsed =
                    statement.indexOf('?') < 0 ? null : query(statement).node();
            List<SqlDynamicParam> marks = parsed == null ? List.of() : ParameterMarks.of(parsed);
            if (parsed == null || marks.isEmpty()) {
                // Drivers ask for it before they ask the statement, which then has its plan.
                return new SqlSignature(List.of(), plan(statement, List.of(), now));
            }
            Map<Integer, ValueType> known = ParameterMarks.ofColumns(parsed, columns);
            Validated valid = validated(ParameterMarks.withSamples(parsed, known), null, now);
            List<ValueType> types = ParameterMarks.types(marks, valid, known);
            return ParameterMarks.sampled(
                    marks, types, valid, samples -> new SqlSignature(types, planned(statement, samples, now)));
        });
    }

    private static <T extends @Nullable Object> T guarded(String statement, Supplier<T> work) {
        if (statement.length() > Statement.MAX_CHARACTERS) {
            throw SqlErrors.unsupported(Statement.tooLong(statement.length()));
        }
        try {
            return work.get();
        } catch (StackOverflowError e) {
            throw SqlErrors.tooDeep(e);
        } catch (WaterwheelException e) {
            throw e;
        } catch (RuntimeException | AssertionError e) {
            // Calcite says in many ways that it cannot.
            throw SqlErrors.unplanned(e);
        }
    }

    private StatementPlan planned(String statement, List<Expression.Literal> parameters, Instant now) {
        return planned(validated(query(statement).node(), parameters, now), null);
    }

    /** As {@link SqlPlanner#view} says. */
    public StatementPlan view(String name, String query, Instant now) {
        return guarded(query, () -> {
            SqlNode expanded = query(query, List.of(name)).node();
            List<SqlDynamicParam> marks = ParameterMarks.of(expanded);
            if (!marks.isEmpty()) {
                throw SqlErrors.at(marks.get(0).getParserPosition(), "a view takes no parameters");
            }
            return planned(validated(expanded, List.of(), now), null);
        });
    }

    private StatementPlan planned(Validated valid, @Nullable OpenParameters open) {
        try {
            return plannedAnew(valid, open);
        } catch (CalciteContextException e) {
            throw SqlErrors.of(e, valid.node(), valid.streams(), valid.fields());
        }
    }

    /** With the queries of views in place of their names. */
    private ViewExpansion.Expanded query(String statement) {
        return query(statement, List.of());
    }

    private ViewExpansion.Expanded query(String statement, List<String> within) {
        SqlNode parsed = StatementParser.parse(statement);
        if (!Rewriter.isQuery(parsed)) {
            throw SqlErrors.noStatement(parsed.getParserPosition(), statement, true);
        }
        ViewExpansion.Expanded expanded = ViewExpansion.of(parsed, streams, within);
        StatementSize.require(expanded.node());
        return expanded;
    }

    /** @param parameters in place of the question marks; null leaves these as they are */
    private Validated validated(SqlNode query, @Nullable List<Expression.Literal> parameters, Instant now) {
        if (parameters != null) {
            ParameterMarks.requireAsMany(query, parameters);
        }
        List<String> labels = ColumnLabels.unnamed(query);
        SqlNode rewritten = query.accept(new Rewriter(functions, now, parameters));
        if (rewritten == null) {
            throw new IllegalStateException("a statement was rewritten to nothing");
        }
        return validated(rewritten, labels, operators);
    }

    /**
     * A statement whose names and types were looked up.
     *
     * @param labels of its columns without a name
     * @param streams all there are
     * @param fields of those that it names
     * @param schemas of those that it names, as it calls them
     */
    record Validated(
            SqlNode node,
            List<String> labels,
            SqlValidator validator,
            CalciteCatalogReader reader,
            SqlTypes types,
            List<String> streams,
            List<String> fields,
            Map<String, Schema> schemas) {}

    private Validated validated(SqlNode statement, List<String> labels, SqlOperatorTable known) {
        CalciteSchema root = CalciteSchema.createRootSchema(false, false);
        // Drivers' tools write whole names.
        CalciteSchema shared = root.add("public", new AbstractSchema());
        CalciteSchema catalog = root.add(CATALOG, new AbstractSchema());
        CalciteSchema inCatalog = catalog.add("public", new AbstractSchema());
        addSystemTables(root, catalog);
        List<String> names = streams.names();
        List<String> fields = new ArrayList<>();
        Map<String, Schema> schemas = new HashMap<>();
        Set<String> asks = TableNames.of(statement, TableNames.system(streams));
        if (asks.size() > MOST_NAMES) {
            throw SqlErrors.unsupported("it names " + asks.size() + " tables, expected at most " + MOST_NAMES);
        }
        for (String asked : asks) {
            String name = names.contains(asked)
                    ? asked
                    : names.stream().filter(asked::equalsIgnoreCase).findFirst().orElse(asked);
            Schema schema = streams.schema(name);
            SystemTable file = schema == null ? streams.file(name) : null;
            Table table = schema != null ? new StreamTable(name, schema) : file == null ? null : fileRelation(file);
            if (table != null) {
                String called = file == null ? name : file.name();
                root.add(called, table);
                shared.add(called, table);
                inCatalog.add(called, table);
            }
            if (schema != null) {
                schemas.put(name, schema);
                schema.fields().forEach(field -> fields.add(field.name()));
            }
        }
        SqlTypes types = new SqlTypes();
        Properties properties = new Properties();
        properties.setProperty("caseSensitive", "false");
        CalciteCatalogReader reader =
                new CalciteCatalogReader(root, List.of(), types, new CalciteConnectionConfigImpl(properties));
        SqlValidator validator = SqlValidatorUtil.newValidator(
                known,
                reader,
                types,
                SqlValidator.Config.DEFAULT
                        .withConformance(StatementParser.CONFORMANCE)
                        .withDefaultNullCollation(NullCollation.LOW)
                        .withTypeCoercionFactory(TextCoercion::new)
                        .withIdentifierExpansion(true));
        try {
            SqlNode valid = validator.validate(statement);
            StatementFaults.requireOperators(valid, validator);
            OuterAggregates.refuse(valid);
            AddressLiterals.rewrite(valid, validator, functions, StatementPlanner::isOpen);
            StatementFaults.requireNoWord(valid, fields);
            return new Validated(valid, labels, validator, reader, types, names, fields, schemas);
        } catch (CalciteContextException e) {
            throw SqlErrors.of(e, statement, names, fields);
        }
    }

    private static boolean isOpen(SqlNode node) {
        return node instanceof SqlCall call && call.getOperator() instanceof ParameterFunction;
    }

    private static @Nullable Table fileRelation(SystemTable table) {
        SystemTable.File file = table.file();
        return file == null
                ? null
                : new SystemRelation(table.qualifiedName(), table.fields(), file.path(), file.select());
    }

    /** Under its schema, and under that of the catalog; the schema waterwheel is the catalog by its name. */
    private void addSystemTables(CalciteSchema root, CalciteSchema catalog) {
        Map<String, CalciteSchema> schemas = new HashMap<>();
        for (SystemTable table : streams.systemTables()) {
            SystemRelation relation = new SystemRelation(table.qualifiedName(), table.fields(), null, null);
            CalciteSchema in = catalog.getSubSchema(table.schema(), true);
            schemas.computeIfAbsent(table.schema(), name -> in == null ? catalog.add(name, new AbstractSchema()) : in)
                    .add(table.name(), relation);
            if (table.schema().equals(CATALOG)) {
                catalog.add(table.name(), relation);
            } else {
                CalciteSchema known = root.getSubSchema(table.schema(), true);
                (known == null ? root.add(table.schema(), new AbstractSchema()) : known).add(table.name(), relation);
            }
        }
    }

    /** The plan of what shows columns of a system table as they are; null for anything else. */
    private static @Nullable SystemPlan plain(RelNode node, List<String> labels) {
        RelNode below = node instanceof Project project ? project.getInput() : node;
        if (!(below instanceof SystemNode system) || system.table().file() != null) {
            return null;
        }
        List<SqlColumn> columns = new ArrayList<>();
        for (int c = 0; c < labels.size(); c++) {
            RexNode shown = node instanceof Project project
                    ? project.getProjects().get(c)
                    : RexInputRef.of(c, below.getRowType());
            if (!(shown instanceof RexInputRef input)) {
                return null;
            }
            columns.add(new SqlColumn(labels.get(c), input.getIndex()));
        }
        return new SystemPlan(system.table().name(), system.table().fields(), columns);
    }

    private StatementPlan plannedAnew(Validated valid, @Nullable OpenParameters open) {
        CalciteCatalogReader reader = valid.reader();
        SqlValidator validator = valid.validator();
        VolcanoPlanner planner = new VolcanoPlanner(RelOptCostImpl.FACTORY, Contexts.of(reader.getConfig()));
        planner.addRelTraitDef(ConventionTraitDef.INSTANCE);
        planner.setExecutor(new ExactFolding());
        RelOptCluster cluster = RelOptCluster.create(planner, new RexBuilder(valid.types()));
        cluster.setMetadataQuerySupplier(PlanMetadata::query);
        SqlToRelConverter converter = new SqlToRelConverter(
                (type, text, path, view) -> {
                    throw new IllegalStateException("there are no views");
                },
                validator,
                reader,
                cluster,
                new Convertlets(functions),
                SqlToRelConverter.config()
                        .withExpand(false)
                        .withInSubQueryThreshold(Integer.MAX_VALUE)
                        .withRelBuilderFactory(Decorrelation.SubQueryLists.FACTORY)
                        .withRelBuilderConfigTransform(
                                config -> config.withPushJoinCondition(false).withAggregateUnique(true)));
        RelRoot root = converter.convertQuery(valid.node(), false, true);
        List<String> labels = ColumnLabels.of(valid.labels(), root.validatedRowType.getFieldNames());
        RelBuilder builder = RelFactories.LOGICAL_BUILDER.create(cluster, null);
        RelNode node = Decorrelation.operators(root.project());
        node = Decorrelation.of(node, builder);
        node = node.accept(new JoinKeys(builder));
        node = optimised(NARROW, node);
        node = new RelFieldTrimmer(validator, builder).trim(node);
        if (open != null) {
            node = open.prepared(node);
            if (!open.onlyCompared()) {
                throw new NoOpenPlan();
            }
        }
        LeafPushdown pushdown = new LeafPushdown(pushes);
        RelNode pushed = pushdown.push(node);
        if (pushed instanceof LeafNode leaf) {
            return plan(leaf.leaf(), labels);
        }
        if (open != null && OpenParameters.isIn(pushed)) {
            // What is left of a plan is a text, with its values.
            throw new NoOpenPlan();
        }
        SystemPlan system = plain(pushed, labels);
        if (system != null) {
            return system;
        }
        try {
            ResidualPlan plan = ResidualPlanner.plan(pushes ? PartialAggregates.in(pushed) : pushed, labels);
            if (open != null && !plan.files().isEmpty()) {
                // What a table of a file is changes without the streams.
                throw new NoOpenPlan();
            }
            return plan;
        } catch (NotPushed e) {
            throw wrong(valid, e, pushdown.notFewer(e.operator()));
        }
    }

    /** What is wrong with a statement that cannot be planned: as its text shows it, else as the plan does. */
    private static WaterwheelException wrong(Validated valid, NotPushed failure, @Nullable String notFewer) {
        WaterwheelException fault =
                StatementFaults.in(valid.node(), valid.validator()::getValidatedNodeTypeIfKnown, valid.fields());
        if (fault != null) {
            return fault;
        }
        String absent = failure.absentFunction();
        OperatorPlace place = OperatorPlace.of(valid.node(), failure.operator());
        return SqlErrors.unsupported(
                place.first(),
                notFewer != null
                        ? notFewer
                        : failure.getMessage()
                                + (absent == null ? "" : NearFunctions.instead(absent))
                                + place.among(failure.operator()));
    }

    private static RelNode optimised(HepProgram program, RelNode node) {
        HepPlanner planner = new HepPlanner(program);
        planner.setRoot(node);
        return planner.findBestExp();
    }

    private static SqlPlan plan(Leaf leaf, List<String> labels) {
        Leaf.Asked asked;
        try {
            asked = leaf.ask(labels);
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(io.waterwheel.error.ErrorCode.BAD_QUERY, String.valueOf(e.getMessage()), e);
        }
        List<SqlColumn> columns = new ArrayList<>();
        for (int c = 0; c < labels.size(); c++) {
            columns.add(new SqlColumn(labels.get(c), asked.places().get(c)));
        }
        return new SqlPlan(asked.query(), asked.fields(), columns);
    }
}
