package io.waterwheel.catalog.store;

import java.util.List;

/** Checks that every catalog store makes before it sends anything. */
public final class CatalogPaths {
    /**
     * Data that one transaction may carry. ZooKeeper drops the connection of a client that sends more than 1 MiB, which
     * looks like an outage and would be tried again for ever.
     */
    public static final int MAX_TRANSACTION_BYTES = 900_000;

    private CatalogPaths() {}

    /** Returns the path; refuses one that is not {@code /} or {@code /name/name...}. */
    public static String check(String path) {
        boolean good = path.equals("/")
                || (path.startsWith("/")
                        && !path.endsWith("/")
                        && !path.contains("//")
                        && !path.contains("/./")
                        && !path.contains("/../")
                        && !path.endsWith("/.")
                        && !path.endsWith("/..")
                        && path.indexOf('\0') < 0);
        if (!good) {
            throw new IllegalArgumentException("catalog path '" + path + "': expected the form /name/name");
        }
        return path;
    }

    /** Checks the paths of all steps and that their data together is within {@link #MAX_TRANSACTION_BYTES}. */
    public static void check(List<CatalogStore.Op> ops) {
        long bytes = 0;
        for (CatalogStore.Op op : ops) {
            check(op.path());
            bytes += op.path().length();
            if (op instanceof CatalogStore.Op.Create create) {
                bytes += create.data().length;
            } else if (op instanceof CatalogStore.Op.Set set) {
                bytes += set.data().length;
            }
        }
        if (bytes > MAX_TRANSACTION_BYTES) {
            throw new IllegalArgumentException("catalog transaction of " + ops.size() + " steps, the first on "
                    + ops.get(0).path() + ": expected at most " + MAX_TRANSACTION_BYTES + " bytes, got " + bytes);
        }
    }

    /** The path of the node above; {@code /} for a node at the top. */
    public static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash <= 0 ? "/" : path.substring(0, slash);
    }
}
