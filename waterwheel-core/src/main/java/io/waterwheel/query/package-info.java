/** What can be asked and what is answered; no engine. */
@NullMarked
package io.waterwheel.query;

import org.jspecify.annotations.NullMarked;
