/** JMH benchmarks of single structures, each with a floor or a baseline beside it and its command in its class doc. */
@NullMarked
package io.waterwheel.benchmark.micro;

import org.jspecify.annotations.NullMarked;
