/**
 * Answers as bytes: {@link io.waterwheel.gateway.answer.RowEncoder} writes rows in one of
 * {@link io.waterwheel.gateway.answer.AnswerFormat}, {@link io.waterwheel.gateway.answer.VerdictJson} what comes last.
 * On the thread of its caller.
 */
@NullMarked
package io.waterwheel.gateway.answer;

import org.jspecify.annotations.NullMarked;
