package io.waterwheel.sql.plan;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.CyclicMetadataException;
import org.apache.calcite.rel.metadata.DefaultRelMetadataProvider;
import org.apache.calcite.rel.metadata.DelegatingMetadataRel;
import org.apache.calcite.rel.metadata.MetadataHandler;
import org.apache.calcite.rel.metadata.MetadataHandlerProvider;
import org.apache.calcite.rel.metadata.NullSentinel;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.jspecify.annotations.Nullable;

/**
 * What Calcite knows of a part of a plan, such as its conditions and unique columns, by reflection. Calcite's own way
 * writes and compiles a Java class for each kind of knowledge: of the first statement of a process that took nearly
 * half of the planner's time. Answers are the same. Thread-safe.
 */
final class PlanMetadata implements MetadataHandlerProvider {
    private static final PlanMetadata INSTANCE = new PlanMetadata();

    private final Map<Class<?>, MetadataHandler<?>> handlers = new ConcurrentHashMap<>();

    private PlanMetadata() {}

    /** Remembers what it was asked, so it is for one plan. */
    static RelMetadataQuery query() {
        return new RelMetadataQuery(INSTANCE);
    }

    @Override
    public <H extends MetadataHandler<?>> H handler(Class<H> kind) {
        return kind.cast(handlers.computeIfAbsent(kind, unused -> made(kind)));
    }

    private static <H extends MetadataHandler<?>> H made(Class<H> kind) {
        Kind answers = new Kind(DefaultRelMetadataProvider.INSTANCE.handlers(kind));
        return kind.cast(Proxy.newProxyInstance(
                kind.getClassLoader(),
                new Class<?>[] {kind},
                (proxy, asked, arguments) -> answers.answer(asked, arguments)));
    }

    /** What answers for nodes of one class. */
    private record Target(MetadataHandler<?> handler, Method method) {}

    private record Asked(Method method, Class<? extends RelNode> node) {}

    /** One kind of knowledge. */
    private static final class Kind {
        private final List<MetadataHandler<?>> handlers;
        private final Map<Asked, Target> targets = new ConcurrentHashMap<>();

        Kind(List<MetadataHandler<?>> handlers) {
            this.handlers = handlers;
        }

        @Nullable
        Object answer(Method asked, Object[] arguments) throws Throwable {
            if (arguments == null || arguments.length < 2 || !(arguments[1] instanceof RelMetadataQuery query)) {
                throw new UnsupportedOperationException(asked.toString());
            }
            RelNode node = (RelNode) arguments[0];
            while (node instanceof DelegatingMetadataRel delegating) {
                node = delegating.getMetadataDelegateRel();
            }
            // As Calcite does it: what is being computed is marked, for a plan may be asked about itself.
            Object key = asked;
            if (arguments.length > 2) {
                Object[] named = arguments.clone();
                named[0] = asked;
                named[1] = null;
                key = Arrays.asList(named);
            }
            Object known = query.map.get(node, key);
            if (known != null) {
                if (known == NullSentinel.ACTIVE) {
                    throw new CyclicMetadataException();
                }
                return known == NullSentinel.INSTANCE ? null : known;
            }
            query.map.put(node, key, NullSentinel.ACTIVE);
            try {
                Target target = targets.computeIfAbsent(new Asked(asked, node.getClass()), this::target);
                Object[] passed = arguments.clone();
                passed[0] = node;
                Object answer = target.method().invoke(target.handler(), passed);
                query.map.put(node, key, NullSentinel.mask(answer));
                return answer;
            } catch (InvocationTargetException e) {
                query.map.row(node).clear();
                throw e.getCause();
            } catch (RuntimeException e) {
                query.map.row(node).clear();
                throw e;
            }
        }

        /** The one for the nearest class above; of the first handler that has it. */
        private Target target(Asked asked) {
            Target nearest = null;
            for (MetadataHandler<?> handler : handlers) {
                for (Method method : handler.getClass().getMethods()) {
                    if (answers(method, asked) && (nearest == null || isBelow(method, nearest.method()))) {
                        nearest = new Target(handler, method);
                    }
                }
            }
            if (nearest == null) {
                throw new IllegalArgumentException("nothing answers " + asked.method() + " of a " + asked.node());
            }
            return nearest;
        }

        private static boolean answers(Method method, Asked asked) {
            Class<?>[] types = method.getParameterTypes();
            Class<?>[] wanted = asked.method().getParameterTypes();
            return method.getName().equals(asked.method().getName())
                    && types.length == wanted.length
                    && RelNode.class.isAssignableFrom(types[0])
                    && types[0].isAssignableFrom(asked.node())
                    && Arrays.equals(types, 1, types.length, wanted, 1, wanted.length);
        }

        private static boolean isBelow(Method method, Method other) {
            Class<?> node = method.getParameterTypes()[0];
            Class<?> others = other.getParameterTypes()[0];
            return node != others && others.isAssignableFrom(node);
        }
    }
}
