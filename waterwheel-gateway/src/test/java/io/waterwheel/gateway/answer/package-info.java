/** Tests of the forms of answers. */
@NullMarked
package io.waterwheel.gateway.answer;

import org.jspecify.annotations.NullMarked;
