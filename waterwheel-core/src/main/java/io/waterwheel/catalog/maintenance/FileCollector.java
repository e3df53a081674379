package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.CatalogJson;
import io.waterwheel.catalog.EditTail;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamEntries;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes chunk files that no query reads or will ever read (protocol rule 12): what crashes left half written or
 * written and not committed, what a merge replaced, what has expired, what dropped streams left. Never a file that the
 * catalog names, or that a living indexer may still commit. Three steps, so that the list is older than what it is
 * compared with, and the time younger; no threads, no clock. Not thread-safe.
 *
 * <p>A file goes when it has been seen without an owner for the whole grace time: a query, whose deadline is shorter,
 * may still read a file that an edit of that time has named. These times are kept in memory, so a new collector starts
 * again.
 *
 * <p>Memory: the snapshots, which are shared, eight bytes a chunk between two looks and sixteen in one, the files that
 * are not named, and the names of what merges wrote and nothing names now.
 */
public final class FileCollector {
    private static final Logger LOG = LoggerFactory.getLogger(FileCollector.class);
    private static final Region EVERYWHERE = new Region(KeyInterval.ALL, TimeInterval.ALL);

    /**
     * {@link ChunkDescriptor#fileName}, of older releases without the folder of flushes; and more behind it for a
     * temporary one.
     */
    private static final Pattern NAME = Pattern.compile(
            "[^/]+-(\\d{1,9})/(?:\\d{1,9}-\\d{1,18}/)?(\\d{1,9})-(\\d{1,9})-(\\d{1,18})-(\\d{1,9})\\.chunk(\\..+"
                    + Pattern.quote(ChunkStore.TEMPORARY) + ")?");

    /** {@code <stream>-<id>/manifest-<basis>-...}; docs/manifest-format.md. */
    private static final Pattern MANIFEST =
            Pattern.compile(".+-(\\d{1,9})/manifest-(\\d{1,9})-\\d{1,18}-\\d{1,18}-\\w+\\.(?:state|chunks)(\\..+"
                    + Pattern.quote(ChunkStore.TEMPORARY) + ")?");

    /** The file that says whose the store is. */
    public static final String STORE_MARK = "CATALOG";

    private static final Pattern MARK =
            Pattern.compile(STORE_MARK + "(\\..+" + Pattern.quote(ChunkStore.TEMPORARY) + ")?");

    /**
     * What a look at the store found.
     *
     * @param files all files of the store
     * @param waiting without an owner, for less than the grace time so far
     * @param removed now
     * @param removedBytes of those
     * @param foreign not of this catalog: other names than chunks, manifests and the store's mark have, or streams that
     *     it never had; left alone
     * @param unreadable of each stream of which the catalog cannot be read, why not: its files stay, all of them
     */
    public record Found(
            int files, int waiting, int removed, long removedBytes, int foreign, Map<String, String> unreadable) {}

    private final CatalogStore catalog;
    private final ChunkStore store;
    private final long graceNanos;
    /** Files that the look before had not found named, and how many there are in all. */
    private List<ChunkStore.StoredFile> listed = List.of();

    private int files;
    private final StreamSnapshots reader;
    private Map<Integer, StreamSnapshot> snapshots = Map.of();
    /** By stream the version of the node that names its manifest. */
    private Map<Integer, Integer> manifestVersions = Map.of();
    /** Some of these are of streams that cannot be read: they live, and what they name is not known. */
    private Set<Integer> unknown = Set.of();
    /** Why streams cannot be read, by name. */
    private Map<String, String> unreadable = Map.of();
    /** When a file was first seen without an owner. */
    private final Map<String, Long> nobodysSince = new HashMap<>();
    /** Names in edits and manifests. A file that is wrongly taken for named stays. */
    private NameSet named = NameSet.EMPTY;

    private boolean read;
    /**
     * What merges wrote and nothing will name again: others replaced it, or a horizon passed, between two looks of this
     * collector; or it was told.
     */
    private final Set<String> replaced = new HashSet<>();
    /** Streams of lower ids are, or were, of this namespace. */
    private int nextId;

    /**
     * A collector of the files of one namespace.
     *
     * @param graceNanos longer than any query runs
     */
    public FileCollector(CatalogStore catalog, ChunkStore store, long graceNanos) {
        this(new StreamSnapshots(catalog, store), graceNanos);
    }

    /**
     * A collector that shares what it reads.
     *
     * @param graceNanos longer than any query runs
     */
    public FileCollector(StreamSnapshots snapshots, long graceNanos) {
        this.reader = snapshots;
        this.catalog = snapshots.catalog();
        this.store = snapshots.files();
        this.graceNanos = graceNanos;
    }

    /**
     * First step: lists the files. Files that are written from now on are left for the next time, and so are those that
     * the step below found named last time, so that they need not be remembered.
     */
    public void list() throws IOException {
        if (!read) {
            readCatalog();
        }
        List<ChunkStore.StoredFile> others = new ArrayList<>();
        int[] count = {0};
        store.forEach("", file -> {
            count[0]++;
            if (!named.contains(file.name())) {
                others.add(file);
            }
        });
        listed = others;
        files = count[0];
    }

    /**
     * Second step: reads the catalog.
     *
     * @throws WaterwheelException TEMPORARY when it is away; begin again with the first step
     */
    public void readCatalog() {
        catalog.sync();
        Map<Integer, StreamSnapshot> present = new HashMap<>();
        Map<Integer, Integer> versions = new HashMap<>();
        NameSet.Builder now = new NameSet.Builder();
        StreamEntries entries = new Namespace(catalog).entries();
        Map<String, String> damaged = new TreeMap<>();
        entries.unreadable().forEach(name -> damaged.put(name, "its entry in the catalog cannot be read"));
        for (StreamInfo stream : entries.readable()) {
            StreamSnapshot snapshot;
            try {
                snapshot = reader.advance(stream);
            } catch (WaterwheelException e) {
                if (e.kind() != WaterwheelException.Kind.CORRUPT) {
                    throw e;
                }
                // What one stream names is not known: its files stay, and those of others are looked at.
                damaged.put(stream.name(), String.valueOf(e.getMessage()));
                continue;
            }
            present.put(stream.id(), snapshot);
            snapshot.chunks(EVERYWHERE, chunk -> now.add(chunk.file()));
            EditTail tail = new EditTail(catalog, stream);
            catalog.read(tail.pointerPath()).ifPresent(pointer -> {
                versions.put(stream.id(), pointer.version());
                CatalogJson.readManifest(tail.pointerPath(), pointer.data())
                        .files()
                        .forEach(file -> now.add(file.file()));
            });
        }
        unreadable = damaged;
        unknown = damaged.isEmpty() ? Set.of() : others(present.keySet());
        reader.retain(present.keySet());
        NameSet names = now.build();
        // What is gone is forgotten, but for what ceases to be named now: it is listed from the next look on.
        if (read) {
            replaced.retainAll(listed.stream().map(ChunkStore.StoredFile::name).collect(Collectors.toSet()));
        }
        snapshots.forEach((id, before) -> {
            if (present.containsKey(id)) {
                before.chunks(EVERYWHERE, chunk -> {
                    if (chunk.merged() && !names.contains(chunk.file())) {
                        replaced.add(chunk.file());
                    }
                });
            }
        });
        snapshots = present;
        manifestVersions = versions;
        named = names;
        read = true;
        nextId = new Namespace(catalog).nextId();
    }

    /** Is told of a file of a merge that nothing will name again, though its epoch lives. */
    public void neverNamedAgain(ChunkDescriptor chunk) {
        replaced.add(chunk.file());
    }

    /** Ids of which the catalog holds something, but for these. */
    private Set<Integer> others(Set<Integer> known) {
        Set<Integer> ids = new HashSet<>(new Namespace(catalog).dataIds());
        ids.removeAll(known);
        return ids;
    }

    /**
     * Third step: compares them, and removes.
     *
     * @param nowNanos by a clock that never goes back, asked after the second step: were it asked before, and the step
     *     slow, a file that was replaced meanwhile would have less than its grace time
     * @throws IOException when a file could not be deleted; the next look tries again
     */
    public Found collect(long nowNanos) throws IOException {
        int waiting = 0;
        int removed = 0;
        int foreign = 0;
        long removedBytes = 0;
        Set<String> present = new HashSet<>();
        for (ChunkStore.StoredFile file : listed) {
            if (MARK.matcher(file.name()).matches()) {
                continue;
            }
            Matcher name = NAME.matcher(file.name());
            Matcher manifest = MANIFEST.matcher(file.name());
            boolean chunk = name.matches();
            if (!(chunk || manifest.matches()) || Integer.parseInt((chunk ? name : manifest).group(1)) >= nextId) {
                foreign++;
                continue;
            }
            present.add(file.name());
            if (unknown.contains(Integer.parseInt((chunk ? name : manifest).group(1)))) {
                nobodysSince.remove(file.name());
                continue;
            }
            if (!(chunk ? isNobodys(file.name(), name) : isNobodysManifest(file.name(), manifest))) {
                nobodysSince.remove(file.name());
                continue;
            }
            long since = nobodysSince.computeIfAbsent(file.name(), fresh -> nowNanos);
            if (nowNanos - since < graceNanos) {
                waiting++;
                continue;
            }
            store.delete(file.name());
            LOG.info("removed file {}: no stream has owned it for the grace time", file.name());
            nobodysSince.remove(file.name());
            removed++;
            removedBytes += file.bytes();
        }
        nobodysSince.keySet().retainAll(present);
        return new Found(files, waiting, removed, removedBytes, foreign, unreadable);
    }

    private boolean isNobodys(String file, Matcher name) {
        if (named.contains(file)) {
            return false;
        }
        StreamSnapshot snapshot = snapshots.get(Integer.parseInt(name.group(1)));
        if (snapshot == null || name.group(6) != null) {
            // Of a dropped stream; or temporary: a writer that is slower than the grace time writes again.
            return true;
        }
        IndexerCheckpoint writer = snapshot.checkpoints().get(Integer.parseInt(name.group(2)));
        if (writer == null || writer.epoch() > Integer.parseInt(name.group(3))) {
            return true;
        }
        // A living writer: its flush is committed, so that the file was named once; or is yet to be. So may be what a
        // merge wrote, whatever its flush.
        boolean merged = Integer.parseInt(name.group(5)) >= ChunkDescriptor.FIRST_MERGED_PART;
        boolean flushed = !merged && writer.flushed() >= Long.parseLong(name.group(4));
        return flushed || replaced.contains(file);
    }

    /** Whether no pointer names the file, nor ever will: its writer's compare-and-set is on a version that is past. */
    private boolean isNobodysManifest(String file, Matcher name) {
        if (named.contains(file)) {
            return false;
        }
        Integer version = manifestVersions.get(Integer.parseInt(name.group(1)));
        return version == null || name.group(3) != null || version > Integer.parseInt(name.group(2));
    }
}
