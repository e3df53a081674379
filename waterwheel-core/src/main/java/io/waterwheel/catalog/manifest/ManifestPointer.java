package io.waterwheel.catalog.manifest;

import java.util.List;
import java.util.Locale;

/**
 * The content of {@code /data/ID/manifest}: files of the chunk store that together hold the catalog at one edit.
 * Changed by compare-and-set only, and to a higher edit only.
 *
 * @param edit at which; 0 when nothing is rolled up yet
 * @param files the state, then parts of the chunks, oldest first; none when the edit is 0
 */
public record ManifestPointer(long edit, List<ManifestFile> files) {
    /** Nothing is rolled up: the catalog is its edits. */
    public static final ManifestPointer NONE = new ManifestPointer(0, List.of());

    /**
     * One file. A part of the chunks says what changed among them after one edit up to another.
     *
     * @param bytes length of the file
     * @param checksum CRC32C of the whole file
     * @param from of a part, the edit before it; of the state 0
     * @param to the edit at which it holds
     * @param added chunks that are read at {@code to} and were not at {@code from}
     * @param removed chunks that were read at {@code from} and are not at {@code to}
     */
    public record ManifestFile(String file, long bytes, int checksum, long from, long to, int added, int removed) {
        /** What merging it with another costs. */
        public long entries() {
            return (long) added + removed;
        }
    }

    public ManifestPointer {
        files = List.copyOf(files);
        if (edit < 0 || (edit == 0) != files.isEmpty()) {
            throw new IllegalArgumentException("edit " + edit + " with " + files.size() + " files");
        }
        for (int i = 0; i < files.size(); i++) {
            ManifestFile file = files.get(i);
            long least = i <= 1 ? 0 : files.get(i - 1).to();
            boolean fits = i == 0
                    ? file.from() == 0 && file.to() == edit
                    : file.from() >= least && file.from() < file.to() && file.to() <= edit;
            if (!fits || file.bytes() < 1 || file.added() < 0 || file.removed() < 0) {
                throw new IllegalArgumentException("file " + i + " of edit " + edit + " does not fit: " + file);
            }
        }
    }

    public ManifestFile state() {
        return files.get(0);
    }

    public List<ManifestFile> parts() {
        return files.subList(Math.min(1, files.size()), files.size());
    }

    /**
     * The name of a file: never used twice, as the attempt is not.
     *
     * @param basis version of the pointer's node that the file was written on; when that has gone on without naming the
     *     file, it never will
     * @param attempt of letters and digits
     */
    public static String fileName(
            String stream, int streamId, int basis, long from, long to, String attempt, ManifestFormat.Kind kind) {
        return String.format(
                Locale.ROOT,
                "%s-%d/manifest-%d-%d-%d-%s.%s",
                stream,
                streamId,
                basis,
                from,
                to,
                attempt,
                kind.name().toLowerCase(Locale.ROOT));
    }
}
