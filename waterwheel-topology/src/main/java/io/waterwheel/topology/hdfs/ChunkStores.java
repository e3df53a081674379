package io.waterwheel.topology.hdfs;

import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;

/** Opens the chunk store of a URI, as {@code chunk-store.uri} has it. */
public final class ChunkStores {
    private ChunkStores() {}

    /** As the configuration says. */
    public static ChunkStore open(WaterwheelConfig config) throws IOException {
        return open(
                config.chunkStoreUri(),
                HdfsChunkStore.Sync.valueOf(config.get(Keys.CHUNK_STORE_SYNC).toUpperCase(Locale.ROOT)),
                config.get(Keys.DISK_RESERVE).bytes());
    }

    /** A local folder or one in HDFS, all synced; made when absent. */
    public static ChunkStore open(String uri) throws IOException {
        return open(uri, HdfsChunkStore.Sync.HSYNC, 0);
    }

    /**
     * A local folder or one in HDFS; made when absent.
     *
     * @param uri {@code file:///folder}, {@code hdfs://namenode:port/folder} or {@code hdfs://nameservice/folder}
     * @param reserveBytes that stay free on the disk of a local folder
     * @throws IOException when it cannot be reached
     */
    private static ChunkStore open(String uri, HdfsChunkStore.Sync sync, long reserveBytes) throws IOException {
        URI parsed;
        try {
            parsed = URI.create(uri);
        } catch (IllegalArgumentException e) {
            throw unfit(uri, e);
        }
        String scheme = parsed.getScheme() == null ? "" : parsed.getScheme();
        String folder = parsed.getPath() == null ? "" : parsed.getPath();
        if (scheme.equals("file") && folder.startsWith("/")) {
            return new LocalChunkStore(Path.of(folder), reserveBytes);
        }
        if (scheme.equals("hdfs") && parsed.getAuthority() != null && folder.length() > 1) {
            return HdfsChunkStore.open(parsed, sync);
        }
        throw unfit(uri, null);
    }

    private static IllegalArgumentException unfit(
            String uri, @org.jspecify.annotations.Nullable IllegalArgumentException cause) {
        return new IllegalArgumentException(
                "chunk store '" + uri + "': expected file:///folder or hdfs://namenode:port/folder", cause);
    }
}
