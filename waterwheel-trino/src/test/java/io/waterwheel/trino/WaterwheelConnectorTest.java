package io.waterwheel.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.testing.BaseConnectorTest;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingConnectorBehavior;
import org.junit.jupiter.api.Test;

/** Trino's test kit for connectors, over TPC-H as streams; a stream has no days, and each has a time. */
final class WaterwheelConnectorTest extends BaseConnectorTest {
    /** As orders are, with the day of a time. */
    private static final String ORDERS = "SELECT orderkey, custkey, orderstatus, totalprice, CAST(orderdate AS date),"
            + " orderpriority, clerk, shippriority, comment FROM orders";

    private static final String EXPECTED_ORDERS = "SELECT orderkey, custkey, orderstatus, totalprice, orderdate,"
            + " orderpriority, clerk, shippriority, comment FROM orders";

    @Override
    protected QueryRunner createQueryRunner() {
        DistributedQueryRunner trino = TrinoCluster.start(new WaterwheelPlugin(), 2, TrinoCluster.streams());
        TpchStreams.make(trino, "");
        return trino;
    }

    @Override
    protected boolean hasBehavior(TestingConnectorBehavior behavior) {
        return switch (behavior) {
            case SUPPORTS_PREDICATE_PUSHDOWN,
                    SUPPORTS_PREDICATE_PUSHDOWN_WITH_VARCHAR_EQUALITY,
                    SUPPORTS_PREDICATE_PUSHDOWN_WITH_VARCHAR_INEQUALITY,
                    SUPPORTS_DYNAMIC_FILTER_PUSHDOWN,
                    SUPPORTS_AGGREGATION_PUSHDOWN,
                    SUPPORTS_CANCELLATION,
                    SUPPORTS_NOT_NULL_CONSTRAINT -> true;
            // Limits and orders are pushed to each split, which the kit does not count: Trino has to take the first of
            // all.
            default -> false;
        };
    }

    @Test
    @Override
    public void testSelectAll() {
        assertQuery(ORDERS, EXPECTED_ORDERS);
    }

    @Test
    @Override
    public void testRangePredicate() {
        String range = " WHERE orderkey BETWEEN 10 AND 50";
        assertQuery(ORDERS + range, EXPECTED_ORDERS + range);
    }

    @Test
    @Override
    public void testMultipleRangesPredicate() {
        String ranges = " WHERE orderkey BETWEEN 10 AND 50 OR orderkey BETWEEN 100 AND 150";
        assertQuery(ORDERS + ranges, EXPECTED_ORDERS + ranges);
    }

    @Test
    @Override
    public void testDateYearOfEraPredicate() {
        assertQuery(
                "SELECT CAST(orderdate AS date) FROM orders WHERE CAST(orderdate AS date) = DATE '1997-09-14'",
                "VALUES DATE '1997-09-14'");
        assertQueryReturnsEmptyResult("SELECT * FROM orders WHERE CAST(orderdate AS date) = DATE '-1996-09-14'");
    }

    @Test
    @Override
    public void testShowColumns() {
        assertColumns("SHOW COLUMNS FROM orders");
    }

    @Test
    @Override
    public void testDescribeTable() {
        assertColumns("DESCRIBE orders");
    }

    private void assertColumns(String statement) {
        assertThat(computeActual(statement).getMaterializedRows().toString())
                .isEqualTo("[[orderkey, bigint, , key], [custkey, bigint, , ], [orderstatus, varchar, , ],"
                        + " [totalprice, double, , ], [orderdate, timestamp(3) with time zone, , time],"
                        + " [orderpriority, varchar, , ], [clerk, varchar, , ], [shippriority, integer, , ],"
                        + " [comment, varchar, , ]]");
    }

    @Test
    @Override
    public void testShowCreateTable() {
        assertThat(computeScalar("SHOW CREATE TABLE orders").toString()).isEqualTo("""
                        CREATE TABLE waterwheel.default.orders (
                           orderkey bigint NOT NULL COMMENT 'key',
                           custkey bigint NOT NULL,
                           orderstatus varchar NOT NULL,
                           totalprice double NOT NULL,
                           orderdate timestamp(3) with time zone NOT NULL COMMENT 'time',
                           orderpriority varchar NOT NULL,
                           clerk varchar NOT NULL,
                           shippriority integer NOT NULL,
                           comment varchar NOT NULL
                        )
                        COMMENT 'a stream by key (orderkey) and time (orderdate)'""");
    }
}
