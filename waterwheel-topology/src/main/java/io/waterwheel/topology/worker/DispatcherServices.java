package io.waterwheel.topology.worker;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.ingest.dispatch.DeadLetters;
import io.waterwheel.ingest.source.LogReader;
import java.util.concurrent.ExecutorService;

/** What a dispatcher task needs. Thread-safe. */
public interface DispatcherServices extends TaskServices {
    LogReader logReader();

    DeadLetters deadLetters();

    /** The schemas of records that bring their numbers along, of the registry that the stream names. */
    WriterSchemas writerSchemas(StreamInfo stream);

    /** What holds up all readers of a partition's topic without being anybody's failure, for people; empty: nothing. */
    String logWarning(int streamId, int partition);

    /**
     * Raises limits, and nothing else: without a limit a partition stands still, and none may wait behind a coordinator
     * that reads thousands of edits. Bounded.
     */
    ExecutorService limitCalls();
}
