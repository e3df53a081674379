package io.waterwheel.ingest.dispatch;

import io.waterwheel.decode.RefusalKind;
import java.nio.ByteBuffer;

/**
 * A record, or a row of a block record, that cannot become a tuple.
 *
 * @param offset position of the record
 * @param index of the row in the record, -1 for the whole record
 * @param kind why, in a word
 * @param reason for people
 * @param raw the record's value; not changed by anyone
 */
public record RefusedRow(long offset, int index, RefusalKind kind, String reason, ByteBuffer raw) {}
