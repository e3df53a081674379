package io.waterwheel.sim;

import io.waterwheel.catalog.store.CatalogPaths;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A catalog as ZooKeeper's clients see it: one order of transactions; a client's reads lag behind it, as its server
 * does, until the client syncs or commits; calls fail while its session is lost; a commit may end unknown: done, not
 * done, or done some time later, when its sender has long looked and gone on.
 */
final class SimCatalog {
    /** A node after a transaction; no data when it was deleted. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record State(long transaction, byte @Nullable [] data, int version) {}

    private final Random random;
    /** Chance that a commit ends unknown. */
    private final double unknown;

    /** Told of every node that is created. */
    private BiConsumer<String, byte[]> onCreate = (path, data) -> {};

    private final Map<String, List<State>> nodes = new HashMap<>();
    private final Map<String, TreeSet<String>> children = new HashMap<>();
    /**
     * Transactions that were sent, whose senders were told that the outcome is unknown, and that are still under way.
     */
    private final List<List<CatalogStore.Op>> underWay = new ArrayList<>();

    private long transactions;
    private boolean calm;
    private int late;
    /** What happens elsewhere in the middle of a call. */
    private Runnable between = () -> {};

    SimCatalog(Random random, double unknown) {
        this.random = random;
        this.unknown = unknown;
        put("/", new byte[0], 0);
    }

    void calm(boolean now) {
        calm = now;
        while (calm && !underWay.isEmpty()) {
            arrive();
        }
    }

    /** Tells of every node that there is, and of every one that is created from now on. */
    void onCreate(BiConsumer<String, byte[]> told) {
        onCreate = told;
        nodes.forEach((path, states) ->
                told.accept(path, truth().read(path).orElseThrow().data()));
    }

    /** Lets other things happen in the middle of calls. */
    void between(Runnable others) {
        between = others;
    }

    private void arrive() {
        try {
            apply(underWay.remove(random.nextInt(underWay.size())));
        } catch (CatalogStore.ConflictException e) {
            late++;
        }
    }

    /** Transactions so far. */
    long transactions() {
        return transactions;
    }

    /** Transactions that arrived too late to be done. */
    int late() {
        return late;
    }

    private void put(String path, byte @Nullable [] data, int version) {
        nodes.computeIfAbsent(path, fresh -> new ArrayList<>(2)).add(new State(transactions, data, version));
        if (!path.equals("/")) {
            children.computeIfAbsent(CatalogPaths.parent(path), fresh -> new TreeSet<>())
                    .add(path.substring(path.lastIndexOf('/') + 1));
        }
    }

    private @Nullable State at(String path, long view) {
        List<State> states = nodes.get(path);
        if (states != null) {
            for (int i = states.size() - 1; i >= 0; i--) {
                if (states.get(i).transaction() <= view) {
                    return states.get(i).data() == null ? null : states.get(i);
                }
            }
        }
        return null;
    }

    private void apply(List<CatalogStore.Op> ops) throws CatalogStore.ConflictException {
        CatalogPaths.check(ops);
        for (CatalogStore.Op op : ops) {
            State state = at(op.path(), transactions);
            boolean holds;
            if (op instanceof CatalogStore.Op.Create) {
                holds = state == null;
            } else if (op instanceof CatalogStore.Op.Set set) {
                holds = state != null && (set.expectedVersion() == -1 || state.version() == set.expectedVersion());
            } else if (op instanceof CatalogStore.Op.Delete delete) {
                holds = state != null
                        && (delete.expectedVersion() == CatalogStore.Op.Delete.ANY_VERSION
                                || state.version() == delete.expectedVersion());
            } else {
                holds = state != null && state.version() == ((CatalogStore.Op.Check) op).expectedVersion();
            }
            if (!holds) {
                throw new CatalogStore.ConflictException(op.getClass().getSimpleName() + " " + op.path());
            }
        }
        transactions++;
        for (CatalogStore.Op op : ops) {
            if (op instanceof CatalogStore.Op.Create create) {
                put(op.path(), create.data().clone(), 0);
                onCreate.accept(op.path(), create.data());
            } else if (op instanceof CatalogStore.Op.Set set) {
                State old = at(op.path(), transactions);
                put(op.path(), set.data().clone(), old == null ? 0 : old.version() + 1);
            } else if (op instanceof CatalogStore.Op.Delete) {
                put(op.path(), null, 0);
            }
        }
    }

    /** A client that sees everything at once and never fails: the oracle's. */
    Client truth() {
        return new Client(true);
    }

    Client client() {
        return new Client(false);
    }

    /** One session. */
    final class Client implements CatalogStore {
        private final boolean perfect;
        private long view;
        /** Calls that fail before the session is renewed. */
        private int outage;
        /** Calls until the session is lost; below 0: it is not. */
        private int healthy = -1;

        Client(boolean perfect) {
            this.perfect = perfect;
            this.view = transactions;
        }

        /** The next calls fail. */
        void loseSession(int calls) {
            outage = calls;
        }

        /** Some calls go well, the next ones fail. */
        void loseSessionAfter(int calls) {
            healthy = calls;
        }

        private void reach() {
            if (!perfect && !calm) {
                if (random.nextInt(6) == 0) {
                    between.run();
                }
                if (!underWay.isEmpty() && random.nextInt(8) == 0) {
                    arrive();
                }
            }
            if (healthy >= 0 && healthy-- == 0) {
                outage = 4;
            }
            if (calm || perfect) {
                outage = 0;
            } else if (outage > 0) {
                outage--;
                throw new WaterwheelException(ErrorCode.CATALOG_UNAVAILABLE, "the session is lost (planted)");
            }
        }

        private void see() {
            reach();
            if (calm || perfect) {
                view = transactions;
            } else if (random.nextInt(4) != 0) {
                view += random.nextInt((int) (transactions - view) + 1);
            }
        }

        @Override
        public Optional<Node> read(String path) {
            see();
            State state = at(path, view);
            return state == null || state.data() == null
                    ? Optional.empty()
                    : Optional.of(new Node(state.data().clone(), state.version()));
        }

        @Override
        public List<String> children(String path) {
            see();
            List<String> names = new ArrayList<>();
            String prefix = path.equals("/") ? "/" : path + "/";
            for (String name : children.getOrDefault(path, new TreeSet<>())) {
                if (at(prefix + name, view) != null) {
                    names.add(name);
                }
            }
            return names;
        }

        @Override
        public void ensure(String path) {
            reach();
            if (at(path, transactions) == null) {
                ensure(CatalogPaths.parent(path));
                transactions++;
                put(path, new byte[0], 0);
            }
            view = transactions;
        }

        @Override
        public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
            reach();
            if (!calm && !perfect && random.nextDouble() < unknown) {
                switch (random.nextInt(5)) {
                    case 0, 1 -> apply(ops);
                    case 2 -> underWay.add(ops);
                    default -> {}
                }
                if (random.nextInt(3) == 0) {
                    outage = 1 + random.nextInt(4);
                }
                throw new UnknownOutcomeException("planted", new IOException("connection lost"));
            }
            apply(ops);
            view = transactions;
        }

        @Override
        public void sync() {
            reach();
            view = transactions;
        }

        @Override
        public AutoCloseable watch(String path, Runnable onChange) {
            return () -> {};
        }

        @Override
        public AutoCloseable announce(String path, byte[] data) {
            ensure(path);
            return () -> {};
        }

        @Override
        public void close() {}
    }
}
