/**
 * The memory that queries may take together and each: {@link io.waterwheel.query.memory.QueryMemory} is one a process,
 * {@link io.waterwheel.query.memory.Reservation} is what one step of a query holds of it. What does not fit may go to a
 * {@link io.waterwheel.query.memory.SpillDisk}. Uses error.
 */
@NullMarked
package io.waterwheel.query.memory;

import org.jspecify.annotations.NullMarked;
