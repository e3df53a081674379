package io.waterwheel.client.admin;

import java.time.Duration;

/**
 * A query that a server is at, as it was when it was asked.
 *
 * @param id by which it is ended
 * @param client host and port of the connection that it came by
 * @param text what is asked, for people, at most 200 characters
 * @param lane {@code light} or {@code heavy}; empty until it is planned
 * @param stage {@code planning}, {@code waiting} for its turn, {@code running}, or {@code sending}: its client has not
 *     taken what it was sent
 * @param tuples that it is expected to look at; 0 until it is planned
 * @param rows that its client was sent
 * @param age since it came
 */
public record OpenQuery(
        String id, String client, String text, String lane, String stage, long tuples, long rows, Duration age) {
    public static OpenQuery of(io.waterwheel.wire.proto.OpenQuery message) {
        return new OpenQuery(
                message.getId(),
                message.getClient(),
                message.getText(),
                message.getLane(),
                message.getStage(),
                message.getTuples(),
                message.getRows(),
                Duration.ofMillis(message.getAgeMillis()));
    }
}
