/**
 * Real processes, really killed: the server, its broker and its ZooKeeper as children, faults by a seed, and every
 * answer compared with what was appended.
 */
@NullMarked
package io.waterwheel.embedded.faults;

import org.jspecify.annotations.NullMarked;
