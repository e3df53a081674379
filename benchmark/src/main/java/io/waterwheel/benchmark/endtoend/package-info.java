/**
 * The whole way in, in one worker: a broker in a process of its own, the server in this one, measured from outside and
 * by what its threads use. Read {@link io.waterwheel.benchmark.endtoend.DrainBenchmark} first.
 */
@NullMarked
package io.waterwheel.benchmark.endtoend;

import org.jspecify.annotations.NullMarked;
