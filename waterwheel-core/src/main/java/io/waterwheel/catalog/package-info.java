/** What is stored where: chunk descriptors, checkpoints, routes, and the index over regions. */
@NullMarked
package io.waterwheel.catalog;

import org.jspecify.annotations.NullMarked;
