package io.waterwheel.sim;

import io.waterwheel.catalog.maintenance.FileCollector;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;

/** The task that removes files which are nobody's; between its two steps anything may happen. */
final class CollectorRole {
    private final World world;
    private final FileCollector collector;
    final SimCatalog.Client client;
    private boolean listed;
    private boolean working;

    CollectorRole(World world) {
        this.world = world;
        this.client = world.catalog.client();
        this.collector = new FileCollector(client, world.files, Settings.GRACE_NANOS);
    }

    void step() {
        if (working) {
            return;
        }
        working = true;
        try {
            if (!listed) {
                collector.list();
                listed = true;
                return;
            }
            listed = false;
            collector.readCatalog();
            FileCollector.Found found = collector.collect(world.now);
            if (found.removed() > 0) {
                world.note("collector", "%s", found);
            }
        } catch (IOException e) {
            world.note("collector", "fails: %s", e.getMessage());
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
            world.note("collector", "fails: %s", e.getMessage());
        } finally {
            working = false;
        }
    }
}
