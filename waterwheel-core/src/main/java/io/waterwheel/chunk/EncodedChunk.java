package io.waterwheel.chunk;

import io.waterwheel.index.Template;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.Region;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A chunk ready to be written. The content lies in the writer's buffers: it is valid until the writer encodes the next.
 *
 * @param content the file's bytes, in order
 * @param tuples rows in it
 * @param bytes length of the file
 * @param region smallest region that holds all tuples
 * @param box bounds of the keys' dimensions; null where keys have none
 * @param nextTemplate divides this chunk's keys evenly: for the next tree of the stream
 */
public record EncodedChunk(
        List<ByteBuffer> content,
        long tuples,
        long bytes,
        Region region,
        @Nullable KeyBox box,
        Template nextTemplate) {
    public EncodedChunk {
        content = List.copyOf(content);
    }
}
