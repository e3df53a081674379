package io.waterwheel.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Messages under way between roles. A seed decides which is delivered next; some are lost, some repeated. Data that was
 * sent by reference must outlive repetition, so a message is a closure the sender prepared for any number of runs.
 */
final class Network {
    private record Message(String to, Runnable delivery) {}

    private final Random random;
    private double loss;
    private double repeats;
    private double reorder;
    private final List<Message> underWay = new ArrayList<>();
    private final Consumer<String> trace;

    Network(Random random, double loss, double repeats, double reorder, Consumer<String> trace) {
        this.random = random;
        this.loss = loss;
        this.repeats = repeats;
        this.reorder = reorder;
        this.trace = trace;
    }

    void send(String to, Runnable delivery) {
        if (random.nextDouble() < loss) {
            trace.accept("lost: " + to);
            return;
        }
        underWay.add(new Message(to, delivery));
        if (random.nextDouble() < repeats) {
            underWay.add(new Message(to, delivery));
        }
    }

    /** Takes time, but arrives once: answers of calls, which fail rather than vanish. */
    void sendReliably(String to, Runnable delivery) {
        underWay.add(new Message(to, delivery));
    }

    /** From now on nothing is lost, repeated or overtaken. */
    void calm() {
        loss = 0;
        repeats = 0;
        reorder = 0;
    }

    int size() {
        return underWay.size();
    }

    /** Delivers one message, usually the oldest. */
    boolean deliverOne() {
        if (underWay.isEmpty()) {
            return false;
        }
        int index = random.nextDouble() < reorder ? random.nextInt(underWay.size()) : 0;
        Message message = underWay.remove(index);
        message.delivery.run();
        return true;
    }
}
