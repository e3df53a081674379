package io.waterwheel.sim;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.maintenance.Expiry;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Retention;

/**
 * One of two tasks that move the horizon on, whose machine's clock may be wrong, and whoever changes the retention in
 * the middle of that.
 */
final class ExpirerRole {
    /** Further ahead than any tuple. */
    private static final long AHEAD_MILLIS = 60_000;

    private final World world;
    private final int number;
    private final SimCatalog.Client client;
    /** How far its machine's clock is ahead. */
    private final long ahead;

    private Expiry expiry;
    private boolean working;

    ExpirerRole(World world, int number) {
        this.world = world;
        this.number = number;
        this.client = world.catalog.client();
        this.expiry = new Expiry(new StreamSnapshots(client, world.files));
        this.ahead = number > 0 && world.random.nextInt(4) == 0 ? AHEAD_MILLIS : 0;
    }

    void step() {
        if (working) {
            return;
        }
        working = true;
        try {
            switch (world.random.nextInt(8)) {
                case 0 -> client.loseSession(1 + world.random.nextInt(4));
                case 1 -> expiry = new Expiry(new StreamSnapshots(client, world.files));
                case 2 -> retain();
                default -> expire();
            }
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
            world.note("expirer " + number, "fails: %s", e.getMessage());
        } finally {
            working = false;
        }
    }

    private void expire() {
        long clock = world.now / 1_000_000 - world.random.nextInt(300) + ahead;
        expiry.expire(world.stream, clock).ifPresent(due -> world.note("expirer " + number, "%s", due));
    }

    /** Anybody may, at any time; now and then nothing expires any more. */
    void retain() {
        Retention retention = world.random.nextInt(6) == 0
                ? Retention.OFF
                : new Retention(1_000L * (1 + world.random.nextInt(world.random.nextInt(4) == 0 ? 20 : 2)));
        new Namespace(client).changePolicy(world.stream.name(), policy -> policy.withRetention(retention));
        world.note("expirer " + number, "retention %s", retention);
    }
}
