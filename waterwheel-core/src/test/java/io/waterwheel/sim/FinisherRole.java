package io.waterwheel.sim;

import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.maintenance.Finisher;
import io.waterwheel.error.WaterwheelException;

/** The task that finishes what balancers have left half done. */
final class FinisherRole {
    private final World world;
    final SimCatalog.Client client;
    private Finisher finisher;
    private boolean working;

    FinisherRole(World world) {
        this.world = world;
        this.client = world.catalog.client();
        this.finisher = new Finisher(new StreamSnapshots(client, world.files));
    }

    void step() {
        if (working) {
            return;
        }
        working = true;
        try {
            if (world.faulty()) {
                switch (world.random.nextInt(8)) {
                    case 0 -> client.loseSession(1 + world.random.nextInt(8));
                    case 1 -> finisher = new Finisher(new StreamSnapshots(client, world.files));
                    default -> {}
                }
            }
            if (finisher.finish(world.stream)) {
                world.note("finisher", "finishes a change");
            }
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
            world.note("finisher", "fails: %s", e.getMessage());
        } finally {
            working = false;
        }
    }
}
