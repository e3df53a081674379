package io.waterwheel.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * The seam to where chunk files and manifests lie: a local folder, HDFS, later an object store. Names are relative
 * paths with {@code /}. A file appears under its name whole and synced, or not at all, and is never changed.
 * Thread-safe.
 *
 * <p>What exactness takes from an implementation:
 *
 * <ul>
 *   <li>once {@link #write} has returned, the file survives whatever crashes, and every process that opens or lists it
 *       sees it, at once and whole: a flush is committed on the strength of it;
 *   <li>of several writers of one name one succeeds and the others are told that it exists: by a rename or a link that
 *       does not replace, or a put that requires absence;
 *   <li>a write that failed has left nothing under the name, or, when only the answer was lost, the whole file; besides
 *       that at most files that end in {@link #TEMPORARY}, which {@link #list} shows and the collector removes;
 *   <li>a file that is open may be deleted: reads of it go on or fail, and never return anything else.
 * </ul>
 *
 * <p>The contract is the test {@code ChunkStoreContract}; nothing else in Waterwheel knows which store it has.
 */
public interface ChunkStore extends AutoCloseable {
    /** How the name of a file ends that is not whole yet. */
    String TEMPORARY = ".tmp";

    /**
     * A file as listed.
     *
     * @param modifiedMillis when it was written, milliseconds since 1970
     */
    record StoredFile(String name, long bytes, long modifiedMillis) {}

    /** An open file. Thread-safe; reads are positioned. */
    interface Input extends AutoCloseable {
        String name();

        /** Length of the file in bytes. */
        long size();

        /** Reads exactly {@code length} bytes at {@code position}; an end of file before that is an IOException. */
        void read(long position, byte[] target, int offset, int length) throws IOException;

        /**
         * Reads several ranges, in as few round trips as the store can.
         *
         * @param positions ascending, ranges not overlapping
         * @param lengths of the ranges
         * @param target gets the ranges one after the other, from its beginning on
         */
        void readVectored(long[] positions, int[] lengths, byte[] target) throws IOException;

        @Override
        void close() throws IOException;
    }

    /**
     * Writes the content under a temporary name, syncs, renames. The buffers are written from position to limit and
     * left unchanged.
     *
     * @throws java.nio.file.FileAlreadyExistsException when a file of that name exists; it is never overwritten
     * @throws DiskSpace.NoRoomException when the disk would be too full; it may be tried again
     */
    void write(String name, List<ByteBuffer> content) throws IOException;

    /** Opens a file for reading; {@link java.nio.file.NoSuchFileException} when there is none. */
    Input open(String name) throws IOException;

    /** Files under the prefix (a folder), temporary ones included, by name. */
    default List<StoredFile> list(String prefix) throws IOException {
        List<StoredFile> files = new ArrayList<>();
        forEach(prefix, files::add);
        files.sort(Comparator.comparing(StoredFile::name));
        return files;
    }

    /** Files under the prefix (a folder), temporary ones included, one by one in any order: there may be millions. */
    void forEach(String prefix, Consumer<StoredFile> visitor) throws IOException;

    /** Deletes a file; without effect when there is none. */
    void delete(String name) throws IOException;

    /** Host names that hold a replica of the file; empty when all are equally near. */
    List<String> hosts(String name) throws IOException;

    /** Why nothing can be written now, for people; empty when it can be, or when that is not known beforehand. */
    default String trouble() {
        return "";
    }

    @Override
    void close() throws IOException;
}
