/**
 * {@code waterwheel demo}: a server, a topic of real flights, a dozen questions and a picture of the answers
 * ({@link io.waterwheel.embedded.demo.Demo}). Uses embedded.server and the client.
 */
@NullMarked
package io.waterwheel.embedded.demo;

import org.jspecify.annotations.NullMarked;
