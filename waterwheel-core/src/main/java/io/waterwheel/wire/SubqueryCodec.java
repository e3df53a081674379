package io.waterwheel.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Subquery;
import io.waterwheel.tuple.ScaleVersion;
import io.waterwheel.wire.proto.ChunkPart;
import io.waterwheel.wire.proto.IndexerHeaderMessage;
import io.waterwheel.wire.proto.IndexerPart;
import io.waterwheel.wire.proto.ScannedMessage;
import io.waterwheel.wire.proto.SubqueryMessage;

/** Subqueries and the headers of their answers as protobuf bytes, between workers. */
public final class SubqueryCodec {
    private SubqueryCodec() {}

    public static byte[] write(Subquery subquery) {
        SubqueryMessage.Builder message = SubqueryMessage.newBuilder()
                // What its session has seen is in the part's demand.
                .setQuery(WireQueries.toMessage(subquery.query().withSeen(SessionPositions.NOTHING)))
                .setStreamId(subquery.streamId())
                .setScales(subquery.scales());
        if (subquery instanceof Subquery.OfIndexer part) {
            IndexerPart.Builder indexer = IndexerPart.newBuilder()
                    .setIndexer(part.indexer())
                    .setEpoch(part.epoch())
                    .setFlushed(part.flushed());
            for (long offset : part.demand()) {
                indexer.addDemand(offset);
            }
            message.setIndexer(indexer);
        } else if (subquery instanceof Subquery.OfChunk part) {
            message.setChunk(ChunkPart.newBuilder()
                    .setFile(part.file())
                    .setFromLeaf(part.piece().fromLeaf())
                    .setBytes(part.piece().isBounded() ? part.piece().bytes() : 0));
        }
        return message.build().toByteArray();
    }

    /**
     * The subquery of these bytes.
     *
     * @throws IllegalArgumentException when they are none
     */
    public static Subquery read(byte[] bytes) {
        SubqueryMessage message;
        try {
            message = SubqueryMessage.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("not a subquery: " + e.getMessage(), e);
        }
        return switch (message.getPartCase()) {
            case INDEXER ->
                new Subquery.OfIndexer(
                        WireQueries.fromMessage(message.getQuery()),
                        message.getStreamId(),
                        scales(message),
                        message.getIndexer().getIndexer(),
                        message.getIndexer().getEpoch(),
                        message.getIndexer().getFlushed(),
                        message.getIndexer().getDemandList().stream()
                                .mapToLong(Long::longValue)
                                .toArray());
            case CHUNK ->
                new Subquery.OfChunk(
                        WireQueries.fromMessage(message.getQuery()),
                        message.getStreamId(),
                        scales(message),
                        message.getChunk().getFile(),
                        new Subquery.Piece(
                                message.getChunk().getFromLeaf(),
                                message.getChunk().getBytes() == 0
                                        ? Long.MAX_VALUE
                                        : message.getChunk().getBytes()));
            case PART_NOT_SET ->
                throw new IllegalArgumentException("a subquery that names neither an indexer nor a chunk");
        };
    }

    private static int scales(SubqueryMessage message) {
        int scales = message.getScales();
        if (scales < 1 || scales > ScaleVersion.MOST) {
            throw new IllegalArgumentException(
                    "a subquery of a plan with " + scales + " versions of scales, expected 1 to " + ScaleVersion.MOST);
        }
        return scales;
    }

    /** What a scan looked at, for the end of its answer. */
    public static byte[] write(ScanStatistics scanned) {
        return WireStatistics.toMessage(scanned).toByteArray();
    }

    /**
     * What a scan looked at.
     *
     * @throws IllegalArgumentException when the bytes are no such message, or its numbers cannot be
     */
    public static ScanStatistics readScanned(byte[] bytes) {
        try {
            ScannedMessage message = ScannedMessage.parseFrom(bytes);
            WireStatistics.check(message);
            return WireStatistics.fromMessage(message);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("not what a scan looked at: " + e.getMessage(), e);
        }
    }

    public static byte[] write(IndexerHeader header) {
        IndexerHeaderMessage.Builder message = IndexerHeaderMessage.newBuilder()
                .setOutcome(
                        IndexerHeaderMessage.Outcome.valueOf(header.outcome().name()))
                .setReason(header.reason())
                .setVersion(header.version())
                .setRecovering(header.recovering())
                .addAllStale(header.stale());
        for (long watermark : header.watermarks()) {
            message.addWatermarks(watermark);
        }
        return message.build().toByteArray();
    }

    /**
     * The header of these bytes.
     *
     * @throws IllegalArgumentException when they are none
     */
    public static IndexerHeader readHeader(byte[] bytes) {
        try {
            IndexerHeaderMessage message = IndexerHeaderMessage.parseFrom(bytes);
            return new IndexerHeader(
                    IndexerHeader.Outcome.valueOf(message.getOutcome().name()),
                    message.getReason(),
                    message.getVersion(),
                    message.getWatermarksList().stream()
                            .mapToLong(Long::longValue)
                            .toArray(),
                    message.getRecovering(),
                    message.getStaleList());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("not a header: " + e.getMessage(), e);
        }
    }
}
