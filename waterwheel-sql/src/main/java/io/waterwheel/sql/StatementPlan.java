package io.waterwheel.sql;

import io.waterwheel.schema.Field;
import java.util.List;

/**
 * How a statement is answered: by one query of the engine, by several and an executor behind them, or by what the
 * server knows.
 */
public sealed interface StatementPlan permits SqlPlan, ResidualPlan, SystemPlan {
    /** The names of the streams that it reads. */
    List<String> streams();

    /** Fields that the columns show. */
    List<Field> fields();

    /** The columns of the statement's answer, at least one. */
    List<SqlColumn> columns();
}
