/**
 * {@link io.waterwheel.embedded.Main} is the program {@code waterwheel}: it hands its words to the command that they
 * name. Uses embedded.server, embedded.demo, embedded.operate and the command line. The tests of the whole server are
 * here.
 */
@NullMarked
package io.waterwheel.embedded;

import org.jspecify.annotations.NullMarked;
