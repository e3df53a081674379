package io.waterwheel.chunk;

import io.waterwheel.index.Template;
import io.waterwheel.tuple.Region;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A chunk ready to be written. The content lies in the writer's buffers: it is valid until the writer encodes the next.
 *
 * @param content the file's bytes, in order
 * @param tuples rows in it
 * @param bytes length of the file
 * @param region smallest region that holds all tuples
 * @param nextTemplate divides this chunk's keys evenly: for the next tree of the stream
 */
public record EncodedChunk(List<ByteBuffer> content, long tuples, long bytes, Region region, Template nextTemplate) {
    public EncodedChunk {
        content = List.copyOf(content);
    }
}
