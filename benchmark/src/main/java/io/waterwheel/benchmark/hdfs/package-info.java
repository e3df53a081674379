/** Reads of chunk files from HDFS. */
@NullMarked
package io.waterwheel.benchmark.hdfs;

import org.jspecify.annotations.NullMarked;
