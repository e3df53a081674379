package io.waterwheel.sql;

/** How a statement is answered: by one query of the engine, or by several and an executor behind them. */
public sealed interface StatementPlan permits SqlPlan, ResidualPlan {}
