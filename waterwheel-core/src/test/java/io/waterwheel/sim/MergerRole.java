package io.waterwheel.sim;

import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.query.scan.ChunkScan;
import io.waterwheel.query.scan.ScanSpec;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Merges chunks, on behalf of an instance of an indexer, zombies included: first the file, later the edit. */
final class MergerRole {
    private record Pending(
            HostRole host,
            HostRole.Instance instance,
            StreamSnapshot planned,
            List<ChunkDescriptor> inputs,
            ChunkDescriptor output,
            long begunAt) {}

    private final World world;
    private final List<Pending> pending = new ArrayList<>();
    private final PagePool pool = new PagePool(1 << 20);

    MergerRole(World world) {
        this.world = world;
    }

    /** Plans on a snapshot that may be old, and writes the merged file. */
    void write(HostRole host, HostRole.@Nullable Instance instance) {
        if (instance == null || pending.size() > 2) {
            return;
        }
        try {
            StreamSnapshot planned = new SnapshotReader(host.client, world.files, world.stream).latest();
            List<ChunkDescriptor> chunks = new ArrayList<>();
            planned.chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunks::add);
            Collections.shuffle(chunks, world.random);
            if (chunks.size() < 2) {
                return;
            }
            List<ChunkDescriptor> inputs = List.copyOf(chunks.subList(0, 2));
            pending.add(new Pending(host, instance, planned, inputs, merged(instance, inputs), world.now));
        } catch (IOException e) {
            world.note(instance.name(), "cannot merge: %s", e.getMessage());
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
        }
    }

    private ChunkDescriptor merged(HostRole.Instance instance, List<ChunkDescriptor> inputs) throws IOException {
        TemplateTree tree = new TemplateTree(Topic.LAYOUT, Template.single(), pool);
        ChunkScan scan = new ChunkScan(world.files, new ChunkCache(0));
        for (ChunkDescriptor input : inputs) {
            scan.scan(input.file(), Topic.LAYOUT, ScanSpec.all(Topic.LAYOUT), rows -> {
                tree.insert(keyed(rows), 0, rows.size());
                return true;
            });
        }
        EncodedChunk encoded = world.writer.encode(tree, Topic.SCHEMA);
        int part = ++instance.merges;
        int epoch = instance.core.epoch();
        String file =
                ChunkDescriptor.fileName(world.stream.name(), world.stream.id(), instance.indexer, epoch, 0, part);
        ChunkDescriptor output = new ChunkDescriptor(
                file, instance.indexer, epoch, 0, part, encoded.tuples(), encoded.bytes(), encoded.region());
        world.files.write(file, encoded.content());
        tree.discard();
        return output;
    }

    /** Rows of all fields as an indexer holds them. */
    private static TupleBlock keyed(TupleBlock rows) {
        TupleBlock block = new TupleBlock(Topic.LAYOUT, rows.size());
        for (int row = 0; row < rows.size(); row++) {
            LittleEndian.putLong(block.column(0), row * 8, LittleEndian.getLong(rows.column(0), row * 8));
            block.keys()[row] = LittleEndian.getLong(rows.column(1), row * 8);
            block.times()[row] = LittleEndian.getLong(rows.column(2), row * 8);
        }
        block.setSize(rows.size());
        return block;
    }

    /** Commits the oldest merge that is written. */
    void commit() {
        if (pending.isEmpty()) {
            return;
        }
        Pending merge = pending.remove(0);

        try {
            boolean done = new StreamCatalog(merge.host().client, world.stream)
                    .commitMerge(
                            new SnapshotReader(merge.host().client, world.files, world.stream),
                            merge.planned(),
                            merge.inputs(),
                            merge.output());
            if (done) {
                world.oracle.merged(merge.inputs(), merge.begunAt());
            }
            world.note(
                    merge.instance().name(), "merge into %s: %s", merge.output().file(), done);
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
            pending.add(merge);
        }
    }
}
