package io.waterwheel.embedded.faults;

import java.util.List;
import java.util.Random;

/** Random statements about known rows below a number, which mean the same to a server and to DuckDB. */
final class MixedStatements {
    /** Rows of a statement that answers with rows, or joins them. */
    private static final int FEW = 2_000;

    private final Random random;

    MixedStatements(Random random) {
        this.random = random;
    }

    /**
     * A statement.
     *
     * @param below rows from this number on are in no answer
     * @param hint what stands behind the first SELECT
     */
    String next(long below, String hint) {
        long few = Math.max(0, below - 1 - (long) (random.nextDouble() * random.nextDouble() * below));
        String some = " id >= " + few + " AND id < " + Math.min(below, few + 1 + random.nextInt(FEW));
        String all = random.nextInt(4) == 0 ? " id < " + below : some;
        String from = " FROM known WHERE" + all;
        String part = one("MOD(v, 7)", "MOD(id, 10)", "CASE WHEN k > 0 THEN 'up' ELSE 'down' END");
        String statement =
                switch (random.nextInt(14)) {
                    case 0 -> "COUNT(*), SUM(v), MIN(k), MAX(t)" + from;
                    case 1 ->
                        "id, k, t, v FROM known WHERE" + some + " AND v > " + value() + " ORDER BY id DESC LIMIT 50";
                    case 2 -> part + " AS g, COUNT(*), SUM(v), MIN(id)" + from + " GROUP BY 1";
                    case 3 ->
                        "DATE_TRUNC('second', t) AS s, COUNT(*), MAX(v)" + from + " GROUP BY 1 HAVING COUNT(*) > 100";
                    case 4 ->
                        "a.id, b.v, a.v - b.v AS d FROM known a JOIN known b ON a.id = b.id + "
                                + (1 + random.nextInt(5)) + " WHERE" + some.replace(" id", " a.id") + " AND"
                                + some.replace(" id", " b.id");
                    case 5 ->
                        "id, ROW_NUMBER() OVER (PARTITION BY MOD(v, 5) ORDER BY id) AS n, SUM(v) OVER (ORDER BY id ROWS"
                                + " BETWEEN 3 PRECEDING AND CURRENT ROW) AS s FROM known WHERE" + some;
                    case 6 ->
                        "id FROM known WHERE" + some + " AND v > 0 " + one("UNION", "EXCEPT", "INTERSECT")
                                + " SELECT id FROM known WHERE" + some + " AND k < 0";
                    case 7 ->
                        "MOD(v, 9) AS g, id, t FROM known WHERE" + some
                                + " QUALIFY ROW_NUMBER() OVER (PARTITION BY MOD(v, 9) ORDER BY t DESC, id DESC) = 1";
                    case 8 -> "COUNT(*), MAX(id)" + from + " AND k BETWEEN " + key(0) + " AND " + key(1);
                    case 9 ->
                        "COUNT(*) FROM known a WHERE" + some.replace(" id", " a.id")
                                + " AND EXISTS (SELECT 1 FROM known b WHERE b.id = a.id + 3 AND b.v > a.v AND"
                                + some.replace(" id", " b.id") + ")";
                    case 10 -> "id, v FROM known WHERE id IN (" + few + ", " + few / 2 + ", " + few / 3 + ")";
                    case 11 ->
                        "MOD(id, 4) AS g, STRING_AGG(CAST(v AS VARCHAR), ',' ORDER BY id) AS x FROM known WHERE id >= "
                                + few + " AND id < " + Math.min(below, few + 200) + " GROUP BY ALL";
                    case 12 ->
                        "g, SUM(n) AS n FROM (SELECT MOD(v, 100) AS g, COUNT(*) AS n" + from
                                + " GROUP BY MOD(v, 100)) x GROUP BY g HAVING SUM(n) > 2 ORDER BY n DESC, g LIMIT 20";
                    default -> "COUNT(DISTINCT MOD(v, 1000)), COUNT(*) FILTER (WHERE v > " + value() + ")" + from;
                };
        return "SELECT " + hint + statement;
    }

    private String one(String... of) {
        return List.of(of).get(random.nextInt(of.length));
    }

    private long value() {
        return random.nextLong() >> 24;
    }

    /** In the lower half of all keys, or in the upper. */
    private long key(int half) {
        long positive = random.nextLong() >>> 1;
        return half == 0 ? positive - Long.MAX_VALUE : positive;
    }
}
