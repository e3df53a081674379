package io.waterwheel.topology.hdfs;

import io.waterwheel.chunk.ChunkStore;
import io.waterwheel.chunk.LocalChunkStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;

/** Opens the chunk store of a URI, as {@code chunk-store.uri} has it. */
public final class ChunkStores {
    private ChunkStores() {}

    /**
     * A local folder or one in HDFS; made when absent.
     *
     * @param uri {@code file:///folder} or {@code hdfs://namenode:port/folder}
     * @throws IOException when it cannot be reached
     */
    public static ChunkStore open(String uri) throws IOException {
        URI parsed;
        try {
            parsed = URI.create(uri);
        } catch (IllegalArgumentException e) {
            throw unfit(uri, e);
        }
        String scheme = parsed.getScheme() == null ? "" : parsed.getScheme();
        String folder = parsed.getPath() == null ? "" : parsed.getPath();
        if (scheme.equals("file") && folder.startsWith("/")) {
            return new LocalChunkStore(Path.of(folder));
        }
        if (scheme.equals("hdfs") && parsed.getAuthority() != null && folder.length() > 1) {
            return HdfsChunkStore.open(parsed);
        }
        throw unfit(uri, null);
    }

    private static IllegalArgumentException unfit(
            String uri, @org.jspecify.annotations.Nullable IllegalArgumentException cause) {
        return new IllegalArgumentException(
                "chunk store '" + uri + "': expected file:///folder or hdfs://namenode:port/folder", cause);
    }
}
