/**
 * What calls to a coordinator return: streams, status, offsets, verification, each a value. Made by
 * {@link io.waterwheel.client.WaterwheelClient}. Uses nothing of the client.
 */
@NullMarked
package io.waterwheel.client.admin;

import org.jspecify.annotations.NullMarked;
