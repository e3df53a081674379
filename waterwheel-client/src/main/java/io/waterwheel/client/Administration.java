package io.waterwheel.client;

import io.waterwheel.client.admin.AskedQuestions;
import io.waterwheel.client.admin.ChunkRegions;
import io.waterwheel.client.admin.ChunkVerification;
import io.waterwheel.client.admin.KeyRanges;
import io.waterwheel.client.admin.MetricsPlace;
import io.waterwheel.client.admin.OpenQuery;
import io.waterwheel.client.admin.Rescaling;
import io.waterwheel.client.admin.ServerStatus;
import io.waterwheel.client.admin.SourceOffsets;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.admin.StreamRetention;
import io.waterwheel.client.admin.Verification;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Balancing;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy.IndexedRecords;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.proto.AlterStreamRequest;
import io.waterwheel.wire.proto.CheckChunksReply;
import io.waterwheel.wire.proto.CheckChunksRequest;
import io.waterwheel.wire.proto.CreateStreamRequest;
import io.waterwheel.wire.proto.DescribeStreamRequest;
import io.waterwheel.wire.proto.DropStreamReply;
import io.waterwheel.wire.proto.DropStreamRequest;
import io.waterwheel.wire.proto.FlushStreamReply;
import io.waterwheel.wire.proto.FlushStreamRequest;
import io.waterwheel.wire.proto.KillQueryReply;
import io.waterwheel.wire.proto.KillQueryRequest;
import io.waterwheel.wire.proto.ListMetricsPlacesReply;
import io.waterwheel.wire.proto.ListMetricsPlacesRequest;
import io.waterwheel.wire.proto.ListQueriesReply;
import io.waterwheel.wire.proto.ListQueriesRequest;
import io.waterwheel.wire.proto.ListQuestionsReply;
import io.waterwheel.wire.proto.ListQuestionsRequest;
import io.waterwheel.wire.proto.ListRegionsReply;
import io.waterwheel.wire.proto.ListRegionsRequest;
import io.waterwheel.wire.proto.ListStreamsReply;
import io.waterwheel.wire.proto.ListStreamsRequest;
import io.waterwheel.wire.proto.OffsetsReply;
import io.waterwheel.wire.proto.PartitionsReply;
import io.waterwheel.wire.proto.RescaleStreamReply;
import io.waterwheel.wire.proto.RescaleStreamRequest;
import io.waterwheel.wire.proto.RetentionReply;
import io.waterwheel.wire.proto.SampleKeysReply;
import io.waterwheel.wire.proto.SampleKeysRequest;
import io.waterwheel.wire.proto.SetOffsetsRequest;
import io.waterwheel.wire.proto.SetPartitionsRequest;
import io.waterwheel.wire.proto.ShowOffsetsRequest;
import io.waterwheel.wire.proto.ShowPartitionsRequest;
import io.waterwheel.wire.proto.ShowRetentionRequest;
import io.waterwheel.wire.proto.StatusReply;
import io.waterwheel.wire.proto.StatusRequest;
import io.waterwheel.wire.proto.StreamDescription;
import io.waterwheel.wire.proto.VerifyStreamReply;
import io.waterwheel.wire.proto.VerifyStreamRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is asked about streams and servers beside their rows, as messages of {@code admin.proto}. What each call
 * promises says the method of its name in {@link WaterwheelClient}. Thread-safe.
 */
final class Administration {
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration CREATE_TIMEOUT = Duration.ofSeconds(90);

    private final AdminRequests admin;

    Administration(AdminRequests admin) {
        this.admin = admin;
    }

    StreamDetails createStream(StreamDefinition definition) {
        CreateStreamRequest request = CreateStreamRequest.newBuilder()
                .setDefinitionJson(SchemaJson.writeStream(definition))
                .build();
        return StreamDetails.of(admin.call(
                "create stream " + definition.name(), request, StreamDescription.getDefaultInstance(), CREATE_TIMEOUT));
    }

    void drop(String stream) {
        DropStreamRequest request =
                DropStreamRequest.newBuilder().setName(stream).build();
        DropStreamReply unused =
                admin.call("drop stream " + stream, request, DropStreamReply.getDefaultInstance(), CALL_TIMEOUT);
    }

    List<StreamDetails> listStreams(Consumer<String> unreadable) {
        ListStreamsReply reply =
                admin.call(ListStreamsRequest.getDefaultInstance(), ListStreamsReply.getDefaultInstance());
        reply.getUnreadableList().forEach(unreadable);
        return reply.getStreamsList().stream().map(StreamDetails::of).toList();
    }

    String kafka() {
        ListStreamsReply reply =
                admin.call(ListStreamsRequest.getDefaultInstance(), ListStreamsReply.getDefaultInstance());
        if (reply.getBootstrapServers().isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST, "the server is of an older release, which does not say where its Kafka is");
        }
        return reply.getBootstrapServers();
    }

    StreamDetails describe(String stream) {
        DescribeStreamRequest request =
                DescribeStreamRequest.newBuilder().setName(stream).build();
        return StreamDetails.of(admin.call(request, StreamDescription.getDefaultInstance()));
    }

    Map<Integer, Long> flush(String stream, Duration timeout, Map<Integer, Long> upTo) {
        FlushStreamRequest request = FlushStreamRequest.newBuilder()
                .setName(stream)
                .setTimeoutMillis(Math.max(1, timeout.toMillis()))
                .putAllUpTo(upTo)
                .build();
        FlushStreamReply reply = admin.call(request, FlushStreamReply.getDefaultInstance(), timeout);
        return Map.copyOf(reply.getPositionsMap());
    }

    StreamDetails alter(
            String stream, @Nullable BadRecords badRecords, @Nullable LogLoss logLoss, @Nullable Balancing balancing) {
        AlterStreamRequest.Builder request = AlterStreamRequest.newBuilder().setName(stream);
        if (badRecords != null) {
            request.setDeadLetters(badRecords.toString());
        }
        if (logLoss != null) {
            request.setLogLoss(logLoss.toString());
        }
        if (balancing != null) {
            request.setBalancing(balancing.toString());
        }
        return StreamDetails.of(admin.call(request.build(), StreamDescription.getDefaultInstance()));
    }

    StreamDetails setIndexedRecords(String stream, IndexedRecords policy) {
        AlterStreamRequest request = AlterStreamRequest.newBuilder()
                .setName(stream)
                .setIndexedRecords(policy.toString())
                .build();
        return StreamDetails.of(admin.call(request, StreamDescription.getDefaultInstance()));
    }

    StreamDetails setIndexers(String stream, int count) {
        AlterStreamRequest request = AlterStreamRequest.newBuilder()
                .setName(stream)
                .setIndexers(count)
                .build();
        return StreamDetails.of(admin.call(request, StreamDescription.getDefaultInstance()));
    }

    KeyRanges keyRanges(String stream) {
        ShowPartitionsRequest request =
                ShowPartitionsRequest.newBuilder().setName(stream).build();
        return KeyRanges.of(admin.call(request, PartitionsReply.getDefaultInstance()));
    }

    KeyRanges setKeyRanges(String stream, List<String> boundaries) {
        SetPartitionsRequest request = SetPartitionsRequest.newBuilder()
                .setName(stream)
                .addAllBoundaries(boundaries)
                .build();
        return KeyRanges.of(admin.call(request, PartitionsReply.getDefaultInstance()));
    }

    StreamRetention setRetention(String stream, Retention retention) {
        AlterStreamRequest request = AlterStreamRequest.newBuilder()
                .setName(stream)
                .setRetention(retention.toString())
                .build();
        admin.call(request, StreamDescription.getDefaultInstance());
        return retention(stream);
    }

    StreamRetention retention(String stream) {
        return retention(ShowRetentionRequest.newBuilder().setName(stream).build());
    }

    StreamRetention retention(String stream, Retention other) {
        return retention(ShowRetentionRequest.newBuilder()
                .setName(stream)
                .setRetention(other.toString())
                .build());
    }

    private StreamRetention retention(ShowRetentionRequest request) {
        return StreamRetention.of(admin.call(request, RetentionReply.getDefaultInstance()));
    }

    List<SourceOffsets> offsets(String stream) {
        ShowOffsetsRequest request =
                ShowOffsetsRequest.newBuilder().setName(stream).build();
        OffsetsReply reply = admin.call(request, OffsetsReply.getDefaultInstance());
        return reply.getPartitionsList().stream().map(SourceOffsets::of).toList();
    }

    List<SourceOffsets> setOffsets(String stream, Map<Integer, Long> offsets) {
        SetOffsetsRequest request = SetOffsetsRequest.newBuilder()
                .setName(stream)
                .putAllOffsets(offsets)
                .build();
        OffsetsReply reply =
                admin.call("set the offsets of " + stream, request, OffsetsReply.getDefaultInstance(), CALL_TIMEOUT);
        return reply.getPartitionsList().stream().map(SourceOffsets::of).toList();
    }

    Verification verify(String stream, Duration timeout) {
        VerifyStreamRequest request = VerifyStreamRequest.newBuilder()
                .setName(stream)
                .setTimeoutMillis(Math.max(1, timeout.toMillis()))
                .setCallId(UUID.randomUUID().toString())
                .build();
        return Verification.of(admin.call(request, VerifyStreamReply.getDefaultInstance(), timeout));
    }

    ChunkVerification verifyChunks(String stream) {
        CheckChunksRequest.Builder request = CheckChunksRequest.newBuilder().setName(stream);
        List<String> damages = new ArrayList<>();
        long chunks = 0;
        long bytes = 0;
        CheckChunksReply reply;
        do {
            CheckChunksRequest next = request.build();
            reply = admin.call(next, CheckChunksReply.getDefaultInstance());
            chunks += reply.getChunks();
            bytes += reply.getBytes();
            damages.addAll(reply.getDamagesList());
            request.setAfter(reply.getNext());
        } while (reply.hasNext());
        return new ChunkVerification(chunks, bytes, damages);
    }

    ChunkRegions chunkRegions(String stream, TimeInterval times, ChunkRegions.@Nullable Position after, int most) {
        ListRegionsRequest.Builder request = ListRegionsRequest.newBuilder()
                .setName(stream)
                .setMost(most)
                .setFrom(times.from())
                .setTo(times.to());
        if (after != null) {
            request.setAfter(after.message());
        }
        return ChunkRegions.of(admin.call(request.build(), ListRegionsReply.getDefaultInstance()));
    }

    ServerStatus status() {
        StatusReply reply = admin.call(StatusRequest.getDefaultInstance(), StatusReply.getDefaultInstance());
        return new ServerStatus(reply.getText(), reply.getJson());
    }

    Rescaling rescale(String stream, List<Dimension> scales, int from, boolean dryRun) {
        RescaleStreamRequest.Builder request =
                RescaleStreamRequest.newBuilder().setName(stream).setFrom(from).setDryRun(dryRun);
        scales.forEach(dimension -> request.addDimensions(Rescaling.message(dimension)));
        return Rescaling.of(admin.call(request.build(), RescaleStreamReply.getDefaultInstance()));
    }

    AskedQuestions questions(String stream, int mostKeys) {
        ListQuestionsRequest questions =
                ListQuestionsRequest.newBuilder().setName(stream).build();
        // Coordinators that share a port answer the same.
        Map<Long, ListQuestionsReply> byLog = new TreeMap<>();
        admin.each(questions, ListQuestionsReply.getDefaultInstance())
                .forEach(reply -> byLog.put(reply.getLog(), reply));
        SampleKeysReply sample = admin.call(
                SampleKeysRequest.newBuilder().setName(stream).setMost(mostKeys).build(),
                SampleKeysReply.getDefaultInstance());
        return new AskedQuestions(
                byLog.values().stream()
                        .flatMapToLong(reply -> reply.getShapesList().stream().mapToLong(Long::longValue))
                        .toArray(),
                sample.getKeysList().stream().mapToLong(Long::longValue).toArray(),
                sample.getRead(),
                sample.getChunks());
    }

    List<MetricsPlace> metricsPlaces(String gateway, String version, long startedMillis) {
        return admin
                .call(
                        ListMetricsPlacesRequest.newBuilder()
                                .setGateway(gateway)
                                .setVersion(version)
                                .setStartedMillis(startedMillis)
                                .build(),
                        ListMetricsPlacesReply.getDefaultInstance())
                .getPlacesList()
                .stream()
                .map(MetricsPlace::of)
                .toList();
    }

    List<OpenQuery> queries() {
        // Coordinators of one process answer the same.
        Map<String, OpenQuery> byId = new TreeMap<>();
        admin.each(ListQueriesRequest.getDefaultInstance(), ListQueriesReply.getDefaultInstance())
                .forEach(reply -> reply.getQueriesList().stream()
                        .map(OpenQuery::of)
                        .forEach(query -> byId.put(query.id(), query)));
        return byId.values().stream()
                .sorted(Comparator.comparing(OpenQuery::age).reversed())
                .toList();
    }

    boolean killQuery(String id) {
        KillQueryRequest request = KillQueryRequest.newBuilder().setId(id).build();
        return admin.each(request, KillQueryReply.getDefaultInstance()).stream().anyMatch(KillQueryReply::getFound);
    }
}
