package io.waterwheel.sql.residual;

import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.leaf.NotPushed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tables of regions of a plan. Made for one plan. */
final class ResidualRegions {
    /** As many as the executor takes. */
    private static final int MOST = 1024;

    private final List<String> selects = new ArrayList<>();
    private final Map<String, Integer> written = new HashMap<>();

    /** Their SELECTs, in the order of their numbers. */
    List<String> selects() {
        return List.copyOf(selects);
    }

    /** The number of a new table. */
    int add(String select) throws NotPushed {
        if (selects.size() == MOST) {
            throw new NotPushed("more than " + MOST + " shapes");
        }
        selects.add(select);
        return selects.size() - 1;
    }

    /** The number of a table of one region. */
    int one(String shape) throws NotPushed {
        Integer known = written.get(shape);
        if (known == null) {
            known = add("SELECT CAST(1 AS BIGINT) AS n, " + shape + " AS shape");
            written.put(shape, known);
        }
        return known;
    }

    /** What functions know a table by. */
    static String id(int number) {
        return "(getvariable('regions') + CAST(" + number + " AS BIGINT))";
    }

    static String table(int number) {
        return ResidualPlan.regionTable(number);
    }
}
