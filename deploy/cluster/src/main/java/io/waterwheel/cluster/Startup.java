package io.waterwheel.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Starts daemons, each as soon as the one that it needs is ready, and waits until all are. Storm's daemons end by
 * themselves when ZooKeeper or Nimbus answers late. They are started again, three times at most. Owner: one thread.
 */
final class Startup {
    private static final long OWN_SOCKETS_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int STARTS_AGAIN = 3;
    /** A look at one is a question to Nimbus or to HDFS, which are starting themselves. */
    private static final long POLL_MILLIS = 200;

    /** What is to be known of the daemons of a cluster. */
    interface Rules {
        /** What must be ready before it starts. */
        Optional<Daemon> needs(Daemon daemon);

        /** Whether it is started again when it ends by itself. */
        boolean startsAgain(Daemon daemon);

        /** All are looked at once more: what was answered before counts no longer. */
        void newRound();
    }

    private final Rules rules;
    private final Duration patience;
    private final Duration notice;
    private final Daemons.Progress progress;
    private final List<Daemon> waiting = new ArrayList<>();
    private final Map<Daemon, Long> starting = new LinkedHashMap<>();
    /** At least once; one that has ended since is among {@link #starting} too. */
    private final Set<Daemon> wereReady = new LinkedHashSet<>();

    private final Map<Daemon, Integer> startedAgain = new HashMap<>();
    /** Of those that have ended: when one of their ports was first seen to be taken, by {@link System#nanoTime}. */
    private final Map<Daemon, Long> portTaken = new HashMap<>();

    /**
     * @param patience for all together
     * @param notice how often it is said what is waited for
     */
    Startup(Rules rules, Duration patience, Duration notice, Daemons.Progress progress) {
        this.rules = rules;
        this.patience = patience;
        this.notice = notice;
        this.progress = progress;
    }

    /** @throws IOException when one does not come up, with the end of its log; the others keep running */
    void run(Collection<Daemon> missing) throws IOException, InterruptedException {
        waiting.addAll(missing);
        long begun = System.nanoTime();
        long notices = 1;
        while (true) {
            rules.newRound();
            Ports.Moment moment = new Ports.Moment();
            startWhatMay(moment);
            for (Daemon each : List.copyOf(starting.keySet())) {
                look(each, moment);
            }
            // Last: when all others are ready, none of them has ended before this look.
            for (Daemon each : mustRun()) {
                if (!each.isAlive()) {
                    wereReady.add(each);
                    starting.put(each, System.nanoTime());
                }
            }
            if (waiting.isEmpty() && starting.isEmpty()) {
                return;
            }
            long waited = System.nanoTime() - begun;
            if (waited >= notices * notice.toNanos()) {
                notices = waited / notice.toNanos() + 1;
                progress.notice("after " + TimeUnit.NANOSECONDS.toSeconds(waited) + " s these are not up yet: "
                        + names(starting.isEmpty() ? needed() : starting.keySet())
                        + (waiting.isEmpty() ? "" : "; waiting for these: " + names(waiting)));
            }
            if (waited >= patience.toNanos()) {
                throw tooLate();
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private void startWhatMay(Ports.Moment moment) throws IOException, InterruptedException {
        for (Daemon each : List.copyOf(waiting)) {
            Optional<Daemon> needed = rules.needs(each);
            if (needed.isEmpty() || needed.get().isReady(moment)) {
                each.start();
                starting.put(each, System.nanoTime());
                waiting.remove(each);
            }
        }
    }

    private void look(Daemon daemon, Ports.Moment moment) throws IOException, InterruptedException {
        // First whether it lives: one that ends meanwhile is not ready, and is seen the next time.
        boolean alive = daemon.isAlive();
        if (!alive) {
            ended(daemon);
        } else if (daemon.isReady(moment)) {
            long started = starting.remove(daemon);
            wereReady.add(daemon);
            progress.done(daemon.name(), "up", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started));
        }
    }

    private void ended(Daemon daemon) throws IOException {
        boolean taken = daemon.isPortTaken();
        // Its own sockets are there until the last thread of a process has ended: what still is after that is
        // another's.
        if (taken) {
            Long since = portTaken.putIfAbsent(daemon, System.nanoTime());
            if (since == null || System.nanoTime() - since < OWN_SOCKETS_NANOS) {
                return;
            }
        }
        int again = startedAgain.merge(daemon, 1, Integer::sum);
        if (taken || !rules.startsAgain(daemon) || again > STARTS_AGAIN) {
            throw daemon.whyItEnded(wereReady.contains(daemon));
        }
        portTaken.remove(daemon);
        progress.notice(daemon.howItEnded(wereReady.contains(daemon)) + ", is started again (" + again + " of "
                + STARTS_AGAIN + "); its log: " + daemon.log());
        daemon.start();
    }

    /** What those need that are not ready, also when it ran before. */
    private Set<Daemon> needed() {
        Set<Daemon> needed = new LinkedHashSet<>();
        waiting.forEach(each -> rules.needs(each).ifPresent(needed::add));
        starting.keySet().forEach(each -> rules.needs(each).ifPresent(needed::add));
        return needed;
    }

    /** Those that are up, as far as they matter here. */
    private Set<Daemon> mustRun() {
        Set<Daemon> daemons = new LinkedHashSet<>(wereReady);
        daemons.addAll(needed());
        daemons.removeAll(starting.keySet());
        waiting.forEach(daemons::remove);
        return daemons;
    }

    /** Of one that the others wait for, if it was ready and is so no longer. */
    private IOException tooLate() throws IOException, InterruptedException {
        for (Daemon each : mustRun()) {
            if (!each.isReady()) {
                return each.tooLate(patience);
            }
        }
        return starting.isEmpty()
                ? new IOException(names(waiting) + " could not be started within " + patience.toSeconds() + " s")
                : starting.keySet().iterator().next().tooLate(patience);
    }

    private static String names(Collection<Daemon> daemons) {
        return daemons.stream().map(Daemon::name).collect(Collectors.joining(", "));
    }
}
