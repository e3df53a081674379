/**
 * Rows on their way to who follows a stream: records of its topic become the rows that queries would find, by the same
 * decoders, keys and conditions. {@link io.waterwheel.query.tail.TailRows} holds those that are read until it is known
 * that queries see them. It knows no log and no server: the client's tail feeds it. Uses decode, key, query.compile,
 * query.column and query.rows. Test: {@code TailRowsTest}.
 */
@NullMarked
package io.waterwheel.query.tail;

import org.jspecify.annotations.NullMarked;
