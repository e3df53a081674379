/**
 * The memory that queries may take together and each: {@link io.waterwheel.query.exec.memory.QueryMemory} is one a
 * process, {@link io.waterwheel.query.exec.memory.Reservation} is what one step of a query holds of it. Uses model.
 */
@NullMarked
package io.waterwheel.query.exec.memory;

import org.jspecify.annotations.NullMarked;
