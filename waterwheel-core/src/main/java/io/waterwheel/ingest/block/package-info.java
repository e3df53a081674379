/**
 * What travels from a dispatcher to an indexer: a {@link io.waterwheel.ingest.block.ChannelBlock} with its body from a
 * pool ({@link io.waterwheel.ingest.block.BodyPool}), and heartbeats where nothing flows. Uses protocol, schema and
 * tuple.
 */
@NullMarked
package io.waterwheel.ingest.block;

import org.jspecify.annotations.NullMarked;
