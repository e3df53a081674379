package io.waterwheel.sql.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.RelFactories;
import org.apache.calcite.rel.metadata.DefaultRelMetadataProvider;
import org.apache.calcite.rel.metadata.JaninoRelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.metadata.RelMetadataQueryBase;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeFactoryImpl;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.util.ImmutableBitSet;
import org.junit.jupiter.api.Test;

/** Beside what Calcite compiles for the same. */
class PlanMetadataTest {
    /** The others take a second to compile. */
    private static final List<String> ASKED = List.of(
            "collations",
            "areColumnsUnique",
            "getUniqueKeys",
            "getPulledUpPredicates",
            "getRowCount",
            "getMaxRowCount",
            "getDistinctRowCount",
            "getSelectivity",
            "getColumnOrigins");

    private final RelOptCluster cluster = RelOptCluster.create(
            new HepPlanner(HepProgram.builder().build()),
            new RexBuilder(new SqlTypeFactoryImpl(RelDataTypeSystem.DEFAULT)));

    @Test
    void answersOfEveryKindAreThoseOfCalcite() {
        // What the planner of Calcite sets for its thread.
        RelMetadataQueryBase.THREAD_PROVIDERS.set(JaninoRelMetadataProvider.of(DefaultRelMetadataProvider.INSTANCE));
        int compared = 0;
        for (RelNode node : nodes()) {
            // One each for all questions about a node: each remembers.
            RelMetadataQuery theirs = RelMetadataQuery.instance();
            RelMetadataQuery ours = PlanMetadata.query();
            for (Method question : questions()) {
                for (Object[] arguments : arguments(question, node)) {
                    assertThat(answer(question, ours, arguments))
                            .as("%s of %s", question.getName(), node.explain())
                            .isEqualTo(answer(question, theirs, arguments));
                    compared++;
                }
            }
        }
        assertThat(compared).isGreaterThan(250);
    }

    private static List<Method> questions() {
        return Arrays.stream(RelMetadataQuery.class.getDeclaredMethods())
                .filter(method -> ASKED.contains(method.getName())
                        && Modifier.isPublic(method.getModifiers())
                        && !Modifier.isStatic(method.getModifiers())
                        && method.getParameterCount() > 0
                        && method.getParameterTypes()[0] == RelNode.class)
                .sorted(Comparator.comparing(Method::toString))
                .toList();
    }

    private static List<Object[]> arguments(Method question, RelNode node) {
        Class<?>[] types = question.getParameterTypes();
        Object[] arguments = new Object[types.length];
        arguments[0] = node;
        for (int a = 1; a < types.length; a++) {
            if (types[a] == int.class) {
                arguments[a] = 0;
            } else if (types[a] == boolean.class) {
                arguments[a] = true;
            } else if (types[a] == ImmutableBitSet.class) {
                arguments[a] = ImmutableBitSet.of(0);
            } else if (types[a] == RexNode.class && question.getName().contains("Lineage")) {
                arguments[a] = RexInputRef.of(0, node.getRowType());
            } else if (types[a] == RexNode.class) {
                arguments[a] = null;
            } else {
                return List.of();
            }
        }
        // Asked twice, the second time from memory.
        return List.of(arguments, arguments);
    }

    /** What it says as a text; or how it refuses. */
    private static String answer(Method question, RelMetadataQuery query, Object[] arguments) {
        try {
            Object answer = question.invoke(query, arguments);
            return answer instanceof Object[] array ? Arrays.deepToString(array) : String.valueOf(answer);
        } catch (InvocationTargetException e) {
            return e.getCause().getClass().getName();
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(question.toString(), e);
        }
    }

    private List<RelNode> nodes() {
        List<Function<RelBuilder, RelBuilder>> made = new ArrayList<>();
        made.add(PlanMetadataTest::left);
        made.add(builder -> left(builder).filter(builder.greaterThan(builder.field(0), builder.literal(1))));
        made.add(builder -> left(builder)
                .project(
                        builder.field(1),
                        builder.call(SqlStdOperatorTable.PLUS, builder.field(0), builder.literal(1))));
        made.add(builder ->
                left(builder).aggregate(builder.groupKey(0), builder.count(), builder.sum(builder.field(0))));
        made.add(builder -> left(builder).sortLimit(1, 2, builder.field(1)));
        made.add(builder -> left(builder).distinct());
        for (JoinRelType type : List.of(JoinRelType.INNER, JoinRelType.LEFT, JoinRelType.FULL, JoinRelType.SEMI)) {
            made.add(builder -> right(left(builder))
                    .join(type, builder.equals(builder.field(2, 0, 0), builder.field(2, 1, 0)))
                    .filter(builder.lessThan(builder.field(0), builder.literal(3))));
        }
        made.add(builder -> right(left(builder)).union(true, 2));
        made.add(builder -> right(left(builder)).union(false, 2));
        made.add(builder -> right(left(builder)).intersect(false, 2));
        made.add(builder -> right(left(builder)).minus(false, 2));
        made.add(builder -> builder.values(new String[] {"a"}, 7));
        return made.stream()
                .map(make -> make.apply(RelFactories.LOGICAL_BUILDER.create(cluster, null))
                        .build())
                .toList();
    }

    private static RelBuilder left(RelBuilder builder) {
        return builder.values(new String[] {"a", "b"}, 1, "x", 2, "y", 3, null, 3, "z");
    }

    private static RelBuilder right(RelBuilder builder) {
        return builder.values(new String[] {"c", "d"}, 1, "p", 2, "q", 2, "r");
    }
}
