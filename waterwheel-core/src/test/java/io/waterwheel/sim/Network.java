package io.waterwheel.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Messages under way between roles. A seed decides which is delivered next; some are lost, some repeated, some links
 * cut for a while. A message is a closure that the sender prepared for any number of runs; it answers whether it was
 * taken: a role that pauses leaves it where it is.
 */
final class Network {
    private record Message(String link, BooleanSupplier delivery) {}

    private final World world;
    private final Random random;
    private final double loss;
    private final double repeats;
    private final double reorder;
    private final List<Message> underWay = new ArrayList<>();
    private final Map<String, Long> cutUntil = new HashMap<>();
    private boolean calm;

    Network(World world, double loss, double repeats, double reorder) {
        this.world = world;
        this.random = world.random;
        this.loss = loss;
        this.repeats = repeats;
        this.reorder = reorder;
    }

    /** Sends what may be lost and repeated; false when it is lost. */
    boolean send(String link, BooleanSupplier delivery) {
        if (!calm && (random.nextDouble() < loss || cutUntil.getOrDefault(link, 0L) > world.now)) {
            world.note(link, "a message is lost");
            return false;
        }
        underWay.add(new Message(link, delivery));
        if (!calm && random.nextDouble() < repeats) {
            underWay.add(new Message(link, delivery));
        }
        return true;
    }

    /** Takes time, but arrives once: answers of calls, which fail rather than vanish. */
    void answer(String link, BooleanSupplier delivery) {
        underWay.add(new Message(link, delivery));
    }

    /** Everything sent on the link of some message under way is lost for a while. */
    void cut(long nanos) {
        if (!underWay.isEmpty()) {
            String link = underWay.get(random.nextInt(underWay.size())).link();
            cutUntil.put(link, world.now + nanos);
            world.note(link, "is cut for %d ms", nanos / 1_000_000);
        }
    }

    /** From now on nothing is lost, repeated or overtaken. */
    void calm(boolean now) {
        calm = now;
        cutUntil.clear();
    }

    int size() {
        return underWay.size();
    }

    /** Delivers one message, usually the oldest of those whose receiver does not pause. */
    void deliverOne() {
        if (underWay.isEmpty()) {
            return;
        }
        int index = !calm && random.nextDouble() < reorder ? random.nextInt(underWay.size()) : 0;
        while (index < underWay.size()) {
            Message message = underWay.remove(index);
            if (message.delivery().getAsBoolean()) {
                return;
            }
            // It keeps its place: a pause is not overtaking.
            underWay.add(Math.min(index, underWay.size()), message);
            index++;
        }
    }
}
