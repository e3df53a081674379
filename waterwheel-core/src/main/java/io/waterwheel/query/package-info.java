/**
 * What can be asked and how an answer ends: {@link io.waterwheel.query.Query} and {@link io.waterwheel.query.Verdict}.
 * No engine; shared by client and coordinator. Uses model.
 */
@NullMarked
package io.waterwheel.query;

import org.jspecify.annotations.NullMarked;
