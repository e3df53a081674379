/**
 * Flight SQL, as JDBC's and ADBC's drivers speak it, on the coordinators' port.
 *
 * <pre>
 *   CreatePreparedStatement --> a handle: the statement itself        (FlightSqlService, StatementHandles)
 *   DoPut, a row of values  --> a handle that has the values, too     (BoundRow)
 *   GetFlightInfo           --> the answer's columns and a ticket
 *   DoGet                   --> record batches, positions and verdict (rpc's answers)
 *   metadata                --> one batch                             (CatalogAnswers, SqlFacts, TypeRows)
 * </pre>
 *
 * <p>Nothing is kept between calls: handles and tickets hold what they stand for, and a session's options are in its
 * cookie ({@link io.waterwheel.topology.flightsql.FlightSqlSession}), so that any coordinator answers any call. Read
 * {@link io.waterwheel.topology.flightsql.FlightSqlService} first.
 */
@NullMarked
package io.waterwheel.topology.flightsql;

import org.jspecify.annotations.NullMarked;
