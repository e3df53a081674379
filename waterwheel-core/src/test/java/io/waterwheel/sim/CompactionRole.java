package io.waterwheel.sim;

import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.maintenance.ManifestCompaction;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;

/** One life of the task that rolls edits up; between any two of its steps anything may happen, its death too. */
final class CompactionRole {
    private static final int STEPS = 3;

    private final World world;
    private final int number;
    final SimCatalog.Client client;
    private final StreamSnapshots snapshots;
    private ManifestCompaction roll;
    private int next;
    private boolean working;

    CompactionRole(World world, int number) {
        this.world = world;
        this.number = number;
        this.client = world.catalog.client();
        this.snapshots = new StreamSnapshots(client, world.files);
        this.roll = roll(world.settings.edits());
    }

    private ManifestCompaction roll(int edits) {
        return new ManifestCompaction(
                snapshots,
                world.stream,
                new ManifestCompaction.Settings(edits, world.settings.tail()),
                () -> "a" + world.attempts++);
    }

    void step() {
        if (working) {
            return;
        }
        working = true;
        try {
            switch (next) {
                case 0 -> next = roll.write() ? 1 : 2;
                case 1 -> {
                    next = 2;
                    boolean done = roll.commit();
                    world.note("roller " + number, "commits: %s", done);
                }
                default -> {
                    next = 0;
                    int deleted = roll.trim();
                    if (deleted > 0) {
                        world.note("roller " + number, "deletes %d edits", deleted);
                    }
                }
            }
        } catch (IOException e) {
            next = 0;
            world.note("roller " + number, "fails: %s", e.getMessage());
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
            world.note("roller " + number, "fails: %s", e.getMessage());
        } finally {
            working = false;
        }
    }

    /** Without faults, whatever there is. */
    void rollUpNow() {
        roll = roll(1);
        for (next = 0; next < STEPS - 1; ) {
            step();
        }
    }
}
