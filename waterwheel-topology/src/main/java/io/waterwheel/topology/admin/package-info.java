/**
 * What a coordinator answers besides queries: status, verification, key ranges, open queries, chunk checks, each a
 * class. They are reached through {@code topology.rpc}. Uses worker, kafka and the core.
 */
@NullMarked
package io.waterwheel.topology.admin;

import org.jspecify.annotations.NullMarked;
