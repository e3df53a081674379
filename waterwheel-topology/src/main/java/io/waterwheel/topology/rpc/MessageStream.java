package io.waterwheel.topology.rpc;

import io.waterwheel.wire.InterruptedReads;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.memory.ArrowBuf;
import org.jspecify.annotations.Nullable;

/** The messages of a subquery's answer, as they come. One thread at a time reads it, or closes it. */
public final class MessageStream implements AutoCloseable {
    private final FlightStream stream;
    private final PeerClient peer;
    private final int sent;
    private volatile boolean ended;
    /** Whether an interrupt took the mark of the stream's end: nothing may wait for it. */
    private volatile boolean endLost;

    /** @param sent bytes of the request */
    MessageStream(FlightStream stream, PeerClient peer, int sent) {
        this.sent = sent;
        this.stream = stream;
        this.peer = peer;
    }

    /**
     * The next message, or null when the answer has ended whole. Blocks.
     *
     * @throws io.waterwheel.error.WaterwheelException when the answer failed or was cut off
     */
    public byte @Nullable [] next() {
        if (ended) {
            return null;
        }
        if (endLost) {
            throw new IllegalStateException("the answer was given up: its reader was interrupted");
        }
        try {
            if (!stream.next()) {
                ended = true;
                return null;
            }
        } catch (FlightRuntimeException e) {
            throw peer.failure(e, sent);
        } catch (RuntimeException e) {
            endLost = InterruptedReads.lostTheEnd(e);
            throw e;
        }
        ArrowBuf metadata = stream.getLatestMetadata();
        byte[] message = new byte[metadata == null ? 0 : (int) metadata.readableBytes()];
        if (metadata != null) {
            metadata.getBytes(metadata.readerIndex(), message);
        }
        return message;
    }

    /** Ends the answer, and cancels what has not come yet. */
    @Override
    public void close() {
        if (!ended) {
            ended = true;
            stream.cancel("closed by the receiver", null);
        }
        // Who is interrupted while it drains the stream would leave its memory behind.
        boolean interrupted = Thread.interrupted();
        boolean again = !endLost;
        for (int attempt = 0; attempt < 2 && again; attempt++) {
            again = false;
            try {
                stream.close();
            } catch (Exception e) {
                // The stream tells an interrupt as the cause of something else; any other failure would only wait.
                endLost = InterruptedReads.lostTheEnd(e);
                again = !endLost && (Thread.interrupted() || e.getCause() instanceof InterruptedException);
                interrupted |= again || endLost;
                PeerClient.LOG.debug("{}: an answer that was given up did not end cleanly", peer, e);
            }
        }
        if (endLost) {
            forget();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives back what a stream holds when all of it has come. */
    private void forget() {
        try {
            if (stream.hasRoot()) {
                stream.getRoot().close();
            }
        } catch (FlightRuntimeException e) {
            // It failed before its first batch, and holds none.
        }
        ArrowBuf metadata = stream.getLatestMetadata();
        if (metadata != null) {
            metadata.close();
        }
    }
}
