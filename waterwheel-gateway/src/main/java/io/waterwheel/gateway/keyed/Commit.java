package io.waterwheel.gateway.keyed;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One committed transaction of a lane, as its note has it.
 *
 * @param id of the note
 * @param lane whose partition of the journal holds the note
 * @param timeMillis when it was made, by the clock of its gateway
 * @param positions by partition the offset below which its rows lie
 * @param entries the keys whose rows are in it
 */
record Commit(Id id, int lane, long timeMillis, Map<Integer, Long> positions, List<Entry> entries) {
    /** Names a note: which claim wrote it, and as which. */
    record Id(long claim, long sequence) {
        byte[] bytes() {
            return ByteBuffer.allocate(2 * Long.BYTES)
                    .putLong(claim)
                    .putLong(sequence)
                    .array();
        }

        /** Null for the name of something else. */
        static @Nullable Id of(byte[] bytes) {
            return bytes.length == 2 * Long.BYTES
                    ? new Id(
                            ByteBuffer.wrap(bytes).getLong(),
                            ByteBuffer.wrap(bytes).getLong(Long.BYTES))
                    : null;
        }
    }

    /** A key, and the body that came with it. */
    record Entry(Digest key, Digest body) {}

    private static final byte VERSION = 1;
    private static final int HEAD_BYTES = 1 + Integer.BYTES + Long.BYTES + Integer.BYTES;
    private static final int POSITION_BYTES = Integer.BYTES + Long.BYTES;
    private static final int ENTRY_BYTES = 4 * Long.BYTES;

    /**
     * Its note: version (1 byte), the stream's id (4), time (8), number of positions (4), each partition (4) and offset
     * (8), then to the end of it each key (16) and body (16). Big-endian.
     */
    byte[] note(int streamId) {
        ByteBuffer note =
                ByteBuffer.allocate(HEAD_BYTES + positions.size() * POSITION_BYTES + entries.size() * ENTRY_BYTES);
        note.put(VERSION).putInt(streamId).putLong(timeMillis).putInt(positions.size());
        positions.forEach((partition, offset) -> note.putInt(partition).putLong(offset));
        for (Entry entry : entries) {
            note.putLong(entry.key().high()).putLong(entry.key().low());
            note.putLong(entry.body().high()).putLong(entry.body().low());
        }
        return note.array();
    }

    /**
     * Reads a note.
     *
     * @return null when it is of another stream, which has the topic too or had it before
     * @throws IllegalArgumentException when it is none
     */
    static @Nullable Commit of(Id id, int lane, byte[] bytes, int streamId) {
        ByteBuffer note = ByteBuffer.wrap(bytes);
        try {
            byte version = note.get();
            if (version != VERSION) {
                throw new IllegalArgumentException("a note of version " + version + ", expected " + VERSION
                        + ": a gateway of a newer release has written it");
            }
            int stream = note.getInt();
            long time = note.getLong();
            int count = note.getInt();
            if (count < 0 || count > note.remaining() / POSITION_BYTES) {
                throw new IllegalArgumentException("a note of " + bytes.length + " bytes with " + count + " positions");
            }
            Map<Integer, Long> positions = new HashMap<>();
            for (int i = 0; i < count; i++) {
                positions.put(note.getInt(), note.getLong());
            }
            if (note.remaining() % ENTRY_BYTES != 0) {
                throw new IllegalArgumentException("a note that is cut: " + bytes.length + " bytes");
            }
            List<Entry> entries = new ArrayList<>(note.remaining() / ENTRY_BYTES);
            while (note.hasRemaining()) {
                entries.add(new Entry(
                        new Digest(note.getLong(), note.getLong()), new Digest(note.getLong(), note.getLong())));
            }
            return stream == streamId ? new Commit(id, lane, time, Map.copyOf(positions), entries) : null;
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("a note that is cut: " + bytes.length + " bytes", e);
        }
    }
}
