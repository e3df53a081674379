package io.waterwheel.gateway.answer;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.types.pojo.ArrowType;

/**
 * A record batch without rows that has the verdict in its custom metadata [Arrow columnar format, Custom Application
 * Metadata]: readers that do not know it pass over it. Pure functions.
 */
final class VerdictBatch {
    /** The key of the verdict in the batch's metadata; the value is JSON. */
    static final String KEY = "waterwheel.verdict";

    private static final int CONTINUATION = -1;
    private static final int ALIGNMENT = 8;

    private VerdictBatch() {}

    /**
     * The batch as an encapsulated message.
     *
     * @param columns types of the stream's columns, none of them nested
     */
    static byte[] of(List<ArrowType> columns, byte[] verdict) {
        FlatBufferBuilder builder = new FlatBufferBuilder(1024 + verdict.length);
        int value = builder.createString(new String(verdict, StandardCharsets.UTF_8));
        int entry = KeyValue.createKeyValue(builder, builder.createString(KEY), value);
        int metadata = Message.createCustomMetadataVector(builder, new int[] {entry});
        RecordBatch.startNodesVector(builder, columns.size());
        for (int c = 0; c < columns.size(); c++) {
            FieldNode.createFieldNode(builder, 0, 0);
        }
        int nodes = builder.endVector();
        int count = columns.stream().mapToInt(TypeLayout::getTypeBufferCount).sum();
        RecordBatch.startBuffersVector(builder, count);
        for (int b = 0; b < count; b++) {
            Buffer.createBuffer(builder, 0, 0);
        }
        int buffers = builder.endVector();
        RecordBatch.startRecordBatch(builder);
        RecordBatch.addLength(builder, 0);
        RecordBatch.addNodes(builder, nodes);
        RecordBatch.addBuffers(builder, buffers);
        int batch = RecordBatch.endRecordBatch(builder);
        Message.startMessage(builder);
        Message.addVersion(builder, MetadataVersion.V5);
        Message.addHeaderType(builder, MessageHeader.RecordBatch);
        Message.addHeader(builder, batch);
        Message.addBodyLength(builder, 0);
        Message.addCustomMetadata(builder, metadata);
        builder.finish(Message.endMessage(builder));
        ByteBuffer message = builder.dataBuffer();
        int padded = (message.remaining() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        ByteBuffer framed = ByteBuffer.allocate(8 + padded).order(ByteOrder.LITTLE_ENDIAN);
        framed.putInt(CONTINUATION).putInt(padded).put(message);
        return framed.array();
    }
}
