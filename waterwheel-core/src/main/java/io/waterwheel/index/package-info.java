/**
 * Fresh tuples in memory: a {@link io.waterwheel.index.TemplateTree} holds what arrived since the last flush in
 * {@link io.waterwheel.index.Leaves}, divided by key along a {@link io.waterwheel.index.Template}; its memory is
 * {@link io.waterwheel.index.Page}s of a {@link io.waterwheel.index.PagePool}, used again from tree to tree. One thread
 * writes a tree, any number read it, none waits. A {@code TemplateRebuild} divides the tuples anew when
 * {@code Skewness} says that the leaves are uneven; a {@link io.waterwheel.index.TimeSketch} tells which leaves have
 * nothing of a time. Uses schema and tuple.
 */
@NullMarked
package io.waterwheel.index;

import org.jspecify.annotations.NullMarked;
