package io.waterwheel.topology.flightsql;

import io.waterwheel.query.Statement;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.flight.sql.SqlInfoBuilder;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlNullOrdering;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlOuterJoinsSupportLevel;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedCaseSensitivity;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedGroupBy;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedResultSetType;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedSubqueries;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedTransaction;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedUnions;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlTransactionIsolationLevel;
import org.apache.arrow.flight.sql.impl.FlightSql.SupportedAnsi92SqlGrammarLevel;
import org.apache.arrow.flight.sql.impl.FlightSql.SupportedSqlGrammar;
import org.jspecify.annotations.Nullable;

/**
 * What the server can, fact by fact. All of them are told: of one that is missing JDBC's driver throws a
 * NullPointerException. 0 stands for no limit, or for one that is not known.
 */
final class SqlFacts {
    private static final String[] NONE = {};

    private SqlFacts() {}

    static SqlInfoBuilder all() {
        SqlInfoBuilder facts = new SqlInfoBuilder();
        server(facts);
        names(facts);
        statements(facts);
        limits(facts);
        transactions(facts);
        return facts;
    }

    private static String version(Class<?> of) {
        @Nullable String version = of.getPackage().getImplementationVersion();
        return Objects.requireNonNullElse(version, "unknown");
    }

    private static void server(SqlInfoBuilder facts) {
        facts.withFlightSqlServerName("Waterwheel")
                .withFlightSqlServerVersion(version(SqlFacts.class))
                .withFlightSqlServerArrowVersion(version(SqlInfoBuilder.class))
                .withFlightSqlServerReadOnly(false)
                .withFlightSqlServerSql(true)
                .withFlightSqlServerSubstrait(false)
                .withFlightSqlServerSubstraitMinVersion("")
                .withFlightSqlServerSubstraitMaxVersion("")
                .withFlightSqlServerTransaction(SqlSupportedTransaction.SQL_SUPPORTED_TRANSACTION_NONE)
                .withFlightSqlServerCancel(true)
                .withFlightSqlServerBulkIngestion(false)
                .withFlightSqlServerBulkIngestionTransaction(false)
                .withFlightSqlServerStatementTimeout(0)
                .withFlightSqlServerTransactionTimeout(0);
    }

    private static void names(SqlInfoBuilder facts) {
        facts.withSqlIdentifierQuoteChar("\"")
                .withSqlIdentifierCase(SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE)
                .withSqlQuotedIdentifierCase(SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE)
                .withSqlSearchStringEscape("\\")
                .withSqlExtraNameCharacters("")
                .withSqlCatalogTerm("catalog")
                .withSqlSchemaTerm("schema")
                .withSqlProcedureTerm("procedure")
                .withSqlCatalogAtStart(true)
                .withSqlDdlCatalog(false)
                .withSqlDdlSchema(false)
                .withSqlDdlTable(false)
                .withSqlSchemasSupportedActions()
                .withSqlCatalogsSupportedActions()
                .withSqlKeywords(new String[] {"QUALIFY"})
                .withSqlNumericFunctions(
                        "ABS,ACOS,ASIN,ATAN,ATAN2,CEILING,COS,DEGREES,EXP,FLOOR,LOG10,POWER,RADIANS,ROUND,SIN,SQRT,TAN"
                                .split(","))
                .withSqlStringFunctions("CHAR_LENGTH,CONCAT,LCASE,LENGTH,LOWER,REPLACE,SUBSTRING,TRIM,UPPER".split(","))
                .withSqlSystemFunctions(NONE)
                .withSqlDatetimeFunctions("EXTRACT,HOUR,MINUTE,MONTH,NOW,QUARTER,SECOND,WEEK,YEAR".split(","));
    }

    private static void statements(SqlInfoBuilder facts) {
        facts.withSqlAllTablesAreSelectable(true)
                .withSqlNullOrdering(SqlNullOrdering.SQL_NULLS_SORTED_LOW)
                .withSqlSupportsColumnAliasing(true)
                .withSqlNullPlusNullIsNull(true)
                .withSqlSupportsConvert(Map.of())
                .withSqlSupportsTableCorrelationNames(true)
                .withSqlSupportsDifferentTableCorrelationNames(false)
                .withSqlSupportsExpressionsInOrderBy(true)
                .withSqlSupportsOrderByUnrelated(true)
                .withSqlSupportedGroupBy(
                        SqlSupportedGroupBy.SQL_GROUP_BY_UNRELATED, SqlSupportedGroupBy.SQL_GROUP_BY_BEYOND_SELECT)
                .withSqlSupportsLikeEscapeClause(true)
                .withSqlSupportsNonNullableColumns(true)
                .withSqlSupportedGrammar(SupportedSqlGrammar.SQL_MINIMUM_GRAMMAR)
                .withSqlAnsi92SupportedLevel(SupportedAnsi92SqlGrammarLevel.ANSI92_ENTRY_SQL)
                .withSqlSupportsIntegrityEnhancementFacility(false)
                .withSqlOuterJoinSupportLevel(SqlOuterJoinsSupportLevel.SQL_FULL_OUTER_JOINS)
                .withSqlSupportedPositionedCommands()
                .withSqlSelectForUpdateSupported(false)
                .withSqlStoredProceduresSupported(false)
                .withSqlSubQueriesSupported(
                        SqlSupportedSubqueries.SQL_SUBQUERIES_IN_COMPARISONS,
                        SqlSupportedSubqueries.SQL_SUBQUERIES_IN_EXISTS,
                        SqlSupportedSubqueries.SQL_SUBQUERIES_IN_INS,
                        SqlSupportedSubqueries.SQL_SUBQUERIES_IN_QUANTIFIEDS)
                .withSqlCorrelatedSubqueriesSupported(true)
                .withSqlSupportedUnions(SqlSupportedUnions.SQL_UNION, SqlSupportedUnions.SQL_UNION_ALL)
                .withSqlSupportedResultSetTypes(SqlSupportedResultSetType.SQL_RESULT_SET_TYPE_FORWARD_ONLY)
                .withSqlBatchUpdatesSupported(true)
                .withSqlNamedParametersSupported(false)
                .withSqlLocatorsUpdateCopy(false)
                .withSqlStoredFunctionsUsingCallSyntaxSupported(false);
    }

    private static void limits(SqlInfoBuilder facts) {
        facts.withSqlMaxBinaryLiteralLength(0)
                .withSqlMaxCharLiteralLength(0)
                .withSqlMaxColumnNameLength(0)
                .withSqlMaxColumnsInGroupBy(0)
                .withSqlMaxColumnsInIndex(0)
                .withSqlMaxColumnsInOrderBy(0)
                .withSqlMaxColumnsInSelect(0)
                .withSqlMaxColumnsInTable(0)
                .withSqlMaxConnections(0)
                .withSqlMaxCursorNameLength(0)
                .withSqlMaxIndexLength(0)
                .withSqlDbSchemaNameLength(0)
                .withSqlMaxProcedureNameLength(0)
                .withSqlMaxCatalogNameLength(0)
                .withSqlMaxRowSize(0)
                .withSqlMaxRowSizeIncludesBlobs(false)
                .withSqlMaxStatementLength(Statement.MAX_CHARACTERS)
                .withSqlMaxStatements(0)
                .withSqlMaxTableNameLength(0)
                .withSqlMaxTablesInSelect(63)
                .withSqlMaxUsernameLength(0);
    }

    private static void transactions(SqlInfoBuilder facts) {
        facts.withSqlDefaultTransactionIsolation(0)
                .withSqlTransactionsSupported(false)
                .withSqlSupportedTransactionsIsolationLevels(SqlTransactionIsolationLevel.SQL_TRANSACTION_NONE)
                .withSqlDataDefinitionCausesTransactionCommit(false)
                .withSqlDataDefinitionsInTransactionsIgnored(true)
                .withSqlSavepointsSupported(false);
    }
}
