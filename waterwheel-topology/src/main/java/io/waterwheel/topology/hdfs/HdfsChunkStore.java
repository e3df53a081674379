package io.waterwheel.topology.hdfs;

import io.waterwheel.store.ChunkStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chunks in a folder of HDFS. A file is written under a temporary name that ends in {@code .tmp}, synced or flushed on
 * every datanode, closed, and renamed, which fails when the name is taken. Has a connection of its own, so that no
 * other user of Hadoop in the process can close it. {@code HADOOP_CONF_DIR}, when set, names the cluster's client
 * configuration. Thread-safe.
 */
public final class HdfsChunkStore implements ChunkStore {
    private static final Logger LOG = LoggerFactory.getLogger(HdfsChunkStore.class);
    private static final String CLOSE_DELAY = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms";
    private static final String CLOSE_RETRIES = "dfs.client.block.write.locateFollowingBlock.retries";
    private static final int WRITE_BUFFER = 128 << 10;

    /** What HDFS must have done with a file before it gets its name. */
    enum Sync {
        /** It is on the disks of its datanodes. */
        HSYNC,
        /** It is in their memory. */
        HFLUSH
    }

    private final DistributedFileSystem files;
    private final Path root;
    private final Sync sync;

    private HdfsChunkStore(DistributedFileSystem files, Path root, Sync sync) {
        this.files = files;
        this.root = root;
        this.sync = sync;
    }

    /** Opens the folder, which is made when absent. */
    static HdfsChunkStore open(URI uri, Sync sync) throws IOException {
        return open(uri, sync, configuration(System.getenv("HADOOP_CONF_DIR")));
    }

    /** For tests, which bring their own client configuration. */
    static HdfsChunkStore open(URI uri, Sync sync, Configuration configuration) throws IOException {
        FileSystem files;
        try {
            files = FileSystem.newInstance(uri, configuration);
        } catch (IOException | RuntimeException e) {
            // A host that has no address, at the moment, is an IllegalArgumentException.
            throw new IOException("chunk store " + uri + " cannot be opened: " + e, e);
        }
        try {
            if (!(files instanceof DistributedFileSystem hdfs)) {
                throw new IOException("chunk store " + uri + ": expected HDFS, got " + files.getClass());
            }
            Path root = hdfs.makeQualified(new Path(uri));
            if (!hdfs.exists(root)) {
                // In safe mode a folder that is there cannot be "made" either.
                hdfs.mkdirs(root);
            }
            return new HdfsChunkStore(hdfs, root, sync);
        } catch (IOException | RuntimeException e) {
            files.close();
            throw new IOException("chunk store " + uri + " cannot be opened: " + e, e);
        }
    }

    /**
     * A client asks to complete a file before the datanode has reported its last block, and then sleeps, 400 ms by
     * default: seven times what writing a chunk takes. It starts at 2 ms instead and doubles, for some 8 s in all.
     */
    static Configuration configuration(@org.jspecify.annotations.Nullable String folder) {
        Configuration configuration = new Configuration();
        configuration.setInt(CLOSE_DELAY, 2);
        configuration.setInt(CLOSE_RETRIES, 12);
        if (folder != null) {
            for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
                java.nio.file.Path file = java.nio.file.Path.of(folder, name);
                if (java.nio.file.Files.isReadable(file)) {
                    configuration.addResource(new Path(file.toUri()));
                }
            }
        }
        return configuration;
    }

    private Path path(String name) {
        boolean below = !name.isEmpty()
                && !name.startsWith("/")
                && Arrays.stream(name.split("/", -1))
                        .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
        if (!below) {
            throw new IllegalArgumentException("chunk store: '" + name + "' is no name below " + root);
        }
        return new Path(root, name);
    }

    @Override
    public void write(String name, List<ByteBuffer> content) throws IOException {
        Path target = path(name);
        Path temporary = path(name + "." + UUID.randomUUID() + TEMPORARY);
        boolean written = false;
        try {
            long bytes = writeTemporary(temporary, content);
            publish(temporary, target, bytes);
            written = true;
        } finally {
            if (!written) {
                deleteQuietly(temporary);
            }
        }
    }

    private long writeTemporary(Path temporary, List<ByteBuffer> content) throws IOException {
        // The cluster's own replication and block size: those of an empty client configuration are no one's choice.
        FsServerDefaults defaults = files.getServerDefaults(temporary);
        // Only of chunks may a power failure take some: without its manifests a stream has none.
        boolean synced = sync == Sync.HSYNC || !temporary.getName().contains(".chunk.");
        EnumSet<CreateFlag> flags =
                synced ? EnumSet.of(CreateFlag.CREATE, CreateFlag.SYNC_BLOCK) : EnumSet.of(CreateFlag.CREATE);
        long bytes = 0;
        try (FSDataOutputStream out = files.create(
                temporary,
                FsPermission.getFileDefault(),
                flags,
                WRITE_BUFFER,
                replication(defaults),
                defaults.getBlockSize(),
                null)) {
            byte[] slice = new byte[WRITE_BUFFER];
            for (ByteBuffer buffer : content) {
                bytes += buffer.remaining();
                if (buffer.hasArray()) {
                    out.write(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
                } else {
                    copy(buffer.duplicate(), slice, out);
                }
            }
            if (synced) {
                out.hsync();
            } else {
                out.hflush();
            }
        }
        return bytes;
    }

    private static void copy(ByteBuffer buffer, byte[] slice, FSDataOutputStream out) throws IOException {
        while (buffer.hasRemaining()) {
            int length = Math.min(slice.length, buffer.remaining());
            buffer.get(slice, 0, length);
            out.write(slice, 0, length);
        }
    }

    private short replication(FsServerDefaults defaults) {
        String[] sources = files.getConf().getPropertySources("dfs.replication");
        boolean chosen = sources != null && !Arrays.asList(sources).contains("hdfs-default.xml");
        return chosen ? files.getDefaultReplication(root) : defaults.getReplication();
    }

    /** A rename whose answer was lost is looked at: the file is whole at its place, or it is not. */
    private void publish(Path temporary, Path target, long bytes) throws IOException {
        try {
            files.rename(temporary, target, Options.Rename.NONE);
        } catch (org.apache.hadoop.fs.FileAlreadyExistsException e) {
            throw exists(target, e);
        } catch (IOException e) {
            FileStatus status = statusOrNull(target);
            if (status == null || status.getLen() != bytes || statusOrNull(temporary) != null) {
                throw new IOException("chunk " + target + " was written but not renamed: " + e, e);
            }
        }
    }

    private static IOException exists(Path target, Exception cause) {
        FileAlreadyExistsException exists = new FileAlreadyExistsException(target.toString());
        exists.initCause(cause);
        return exists;
    }

    private @org.jspecify.annotations.Nullable FileStatus statusOrNull(Path path) throws IOException {
        try {
            return files.getFileStatus(path);
        } catch (FileNotFoundException e) {
            return null;
        }
    }

    private void deleteQuietly(Path temporary) {
        try {
            files.delete(temporary, false);
        } catch (IOException e) {
            LOG.info("{} stays for the collector: {}", temporary, e.toString());
        }
    }

    @Override
    public Input open(String name) throws IOException {
        try {
            var stream = files.open(path(name));
            if (stream instanceof HdfsDataInputStream hdfs) {
                return new HdfsInput(name, hdfs, hdfs.getVisibleLength());
            }
            stream.close();
            throw new IOException("chunk " + name + ": expected a stream of HDFS, got " + stream.getClass());
        } catch (FileNotFoundException e) {
            throw missing(path(name), e);
        }
    }

    private static NoSuchFileException missing(Path path, FileNotFoundException cause) {
        NoSuchFileException missing = new NoSuchFileException(path.toString());
        missing.initCause(cause);
        return missing;
    }

    @Override
    public void forEach(String prefix, Consumer<StoredFile> visitor) throws IOException {
        Path start = prefix.isEmpty() ? root : path(prefix);
        int rootLength = root.toUri().getPath().length();
        try {
            for (RemoteIterator<LocatedFileStatus> each = files.listFiles(start, true); each.hasNext(); ) {
                LocatedFileStatus status = each.next();
                String path = status.getPath().toUri().getPath();
                visitor.accept(
                        new StoredFile(path.substring(rootLength + 1), status.getLen(), status.getModificationTime()));
            }
        } catch (FileNotFoundException e) {
            LOG.debug("{} is not there: it has no files", start);
        }
    }

    @Override
    public void delete(String name) throws IOException {
        files.delete(path(name), false);
    }

    /** Hosts with most of the file's blocks first. */
    @Override
    public List<String> hosts(String name) throws IOException {
        Map<String, Integer> blocks = new HashMap<>();
        try {
            for (BlockLocation block : files.getFileBlockLocations(path(name), 0, Long.MAX_VALUE)) {
                for (String host : block.getHosts()) {
                    blocks.merge(host, 1, Integer::sum);
                }
            }
        } catch (FileNotFoundException e) {
            throw missing(path(name), e);
        }
        return blocks.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .toList();
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
