package io.waterwheel.wire;

import java.util.Arrays;
import java.util.concurrent.LinkedBlockingQueue;

/** What an interrupt does to a thread that reads a stream of Arrow Flight. */
public final class InterruptedReads {
    private InterruptedReads() {}

    /**
     * Whether an interrupt took the mark of the stream's end. {@code FlightStream.next} takes the mark from a queue and
     * puts it back for the next call; an interrupted thread gives up the put. All has come then, but a further read
     * waits forever, and so does {@code FlightStream.close}, which reads what is left.
     *
     * @param failure as the stream threw it
     */
    public static boolean lostTheEnd(Throwable failure) {
        return failure.getCause() instanceof InterruptedException interrupt
                && Arrays.stream(interrupt.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals(LinkedBlockingQueue.class.getName())
                                && frame.getMethodName().equals("put"));
    }
}
