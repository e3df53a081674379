package io.waterwheel.client.admin;

/**
 * A record, or a row of a block record, that could not become a tuple.
 *
 * @param partition of the stream's topic
 * @param offset position of the record
 * @param index of the row in the record, -1 for the whole record
 * @param reason why it was refused
 * @param length bytes of the record's value
 * @param raw the record's value; cut when it is very long, empty with all but the first row of a record
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record DeadLetter(int partition, long offset, int index, String reason, int length, byte[] raw) {}
