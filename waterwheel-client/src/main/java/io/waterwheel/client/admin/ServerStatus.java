package io.waterwheel.client.admin;

/**
 * How the server and its streams are.
 *
 * @param text for people
 * @param json the same for programs: one JSON object
 */
public record ServerStatus(String text, String json) {}
