package io.waterwheel.topology.admin;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.kafka.TopicScan;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.topology.rpc.AdminHandler;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.wire.proto.FlushStreamRequest;
import io.waterwheel.wire.proto.VerifyStreamReply;
import io.waterwheel.wire.proto.VerifyStreamRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares a running stream's answers with its topic. Thread-safe; calls block. */
public final class VerifyCalls {
    private static final Logger LOG = LoggerFactory.getLogger(VerifyCalls.class);
    private static final long DEFAULT_VERIFY_MILLIS = 600_000;

    private final CoordinatorServices services;
    private final CoordinatorServices.QueryHandler coordinator;
    private final FlushCalls flushes;
    private final SharedCall<VerifyStreamReply> verifying = new SharedCall<>("verification");

    public VerifyCalls(CoordinatorServices services, CoordinatorServices.QueryHandler coordinator, FlushCalls flushes) {
        this.services = services;
        this.coordinator = coordinator;
        this.flushes = flushes;
    }

    /** Answers verify-stream. */
    public void register(AdminCalls calls) {
        calls.on(VerifyStreamRequest.getDefaultInstance(), VerifyStreamReply.getDefaultInstance(), this::verify);
    }

    /**
     * Runs one at a time, because it reads the whole topic and all chunks. A repeated call gets the reply of the
     * running one.
     */
    private VerifyStreamReply verify(VerifyStreamRequest request, AdminHandler.Caller caller)
            throws InterruptedException {
        long millis = verifyMillis(request);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        StreamInfo stream = StreamNames.require(services, request.getName());
        SharedCall.Id id = new SharedCall.Id(request.getCallId(), stream.id());
        return verifying.call(id, stream.name(), caller, deadline, () -> verify(stream, millis, deadline, caller));
    }

    private VerifyStreamReply verify(StreamInfo stream, long millis, long deadline, AdminHandler.Caller caller)
            throws InterruptedException {
        var flushed = flushes.flush(
                FlushStreamRequest.newBuilder()
                        .setName(stream.name())
                        .setTimeoutMillis(millis)
                        .build(),
                caller);
        LOG.info("[{}] verifying; flushed up to {}", stream.name(), flushed.getPositionsMap());
        try (TopicScan scan =
                new TopicScan(services.config().get(Keys.KAFKA_BOOTSTRAP), "verify-" + stream.name(), stream.topic())) {
            StreamVerifier verifier = new StreamVerifier(
                    stream,
                    new StreamCatalog(services.catalogStore(), stream),
                    coordinator,
                    scan,
                    services.registryAccess(),
                    caller,
                    deadline);
            // The topic must not begin later while it is read.
            StreamVerifier.Outcome outcome = services.topicRecords().keepingAll(verifier::verify);
            LOG.info("[{}] verified at edit {}: {}", stream.name(), outcome.edit(), outcome.differences());
            return reply(outcome);
        }
    }

    /** Less than the grace time, for which the files of what is compared are kept. */
    private long verifyMillis(VerifyStreamRequest request) {
        Duration grace = services.config().get(Keys.MAINTENANCE_GRACE);
        if (request.getTimeoutMillis() == 0) {
            return Math.min(DEFAULT_VERIFY_MILLIS, grace.toMillis() / 4 * 3);
        }
        if (request.getTimeoutMillis() >= grace.toMillis()) {
            throw new WaterwheelException(
                    ErrorCode.TIMEOUT_TOO_LONG,
                    "verify: timeout " + Keys.MAINTENANCE_GRACE.format(Duration.ofMillis(request.getTimeoutMillis()))
                            + ": expected less than " + Keys.MAINTENANCE_GRACE.name() + ", "
                            + Keys.MAINTENANCE_GRACE.format(grace) + "; ask with a shorter one");
        }
        return request.getTimeoutMillis();
    }

    private static VerifyStreamReply reply(StreamVerifier.Outcome outcome) {
        VerifyStreamReply.Builder reply = VerifyStreamReply.newBuilder()
                .setEdit(outcome.edit())
                .setTopicTuples(outcome.topic().rows())
                .setTopicFingerprint(outcome.topic().fingerprint())
                .setAnswerTuples(outcome.answers().rows())
                .setAnswerFingerprint(outcome.answers().fingerprint())
                .addAllNotes(outcome.notes())
                .addAllDifferences(outcome.differences());
        outcome.parts()
                .forEach((partition, part) -> reply.putPartitions(
                        partition,
                        VerifyStreamReply.Partition.newBuilder()
                                .setFrom(part.from())
                                .setTo(part.to())
                                .setTuples(part.tuples())
                                .setRefused(part.refused())
                                .build()));
        return reply.build();
    }
}
