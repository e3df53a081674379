/**
 * What can be asked and how an answer ends: {@link io.waterwheel.query.Query}, its
 * {@link io.waterwheel.query.ResultSpec} and {@link io.waterwheel.query.Verdict}. No engine; shared by client and
 * coordinator. Uses query.expression and query.aggregate.
 */
@NullMarked
package io.waterwheel.query;

import org.jspecify.annotations.NullMarked;
