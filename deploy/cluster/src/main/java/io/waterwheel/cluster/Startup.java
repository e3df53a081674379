package io.waterwheel.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Starts daemons, each as soon as the one that it needs is ready, and waits until all are. Storm's end by themselves
 * where ZooKeeper or Nimbus answers late, as on a busy machine, and count on being started again: here they are, some
 * times. Owner: one thread.
 */
final class Startup {
    private static final int STARTS_AGAIN = 3;
    /** A look at one is a question to Nimbus or to HDFS, which are starting themselves. */
    private static final long POLL_MILLIS = 200;

    private final Function<Daemon, Optional<Daemon>> needs;
    private final Predicate<Daemon> mayEnd;
    private final Duration patience;
    private final Duration notice;
    private final Daemons.Progress progress;
    private final Map<Daemon, Long> starting = new LinkedHashMap<>();
    private final Map<Daemon, Integer> startsAgain = new HashMap<>();

    /**
     * @param needs what must be ready before one starts
     * @param mayEnd whether one that ends before it is ready is started again
     * @param patience for all together
     * @param notice how often it is said what is waited for
     */
    Startup(
            Function<Daemon, Optional<Daemon>> needs,
            Predicate<Daemon> mayEnd,
            Duration patience,
            Duration notice,
            Daemons.Progress progress) {
        this.needs = needs;
        this.mayEnd = mayEnd;
        this.patience = patience;
        this.notice = notice;
        this.progress = progress;
    }

    /** @throws IOException when one does not come up, with the end of its log; the others keep running */
    void run(Collection<Daemon> missing) throws IOException, InterruptedException {
        List<Daemon> waiting = new ArrayList<>(missing);
        long begun = System.nanoTime();
        long notices = 1;
        while (true) {
            for (Daemon each : List.copyOf(waiting)) {
                Optional<Daemon> needed = needs.apply(each);
                if (needed.isEmpty() || needed.get().isReady()) {
                    each.start();
                    starting.put(each, System.nanoTime());
                    waiting.remove(each);
                }
            }
            for (Daemon each : List.copyOf(starting.keySet())) {
                look(each);
            }
            if (waiting.isEmpty() && starting.isEmpty()) {
                return;
            }
            long waited = System.nanoTime() - begun;
            if (waited >= patience.toNanos()) {
                throw tooLate(waiting);
            }
            if (waited >= notices * notice.toNanos()) {
                notices++;
                progress.notice("after " + TimeUnit.NANOSECONDS.toSeconds(waited) + " s these are not up yet: "
                        + names(starting.keySet())
                        + (waiting.isEmpty() ? "" : "; they wait for it: " + names(waiting)));
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private void look(Daemon daemon) throws IOException, InterruptedException {
        // First whether it lives: one that ends meanwhile is not ready, and is seen the next time.
        boolean alive = daemon.isAlive();
        if (alive && daemon.isReady()) {
            long started = starting.remove(daemon);
            progress.done(daemon.name(), "up", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started));
        } else if (!alive) {
            int again = startsAgain.merge(daemon, 1, Integer::sum);
            if (!mayEnd.test(daemon) || again > STARTS_AGAIN) {
                throw daemon.ended();
            }
            progress.notice(daemon.name() + " ended before it was ready, as Storm's daemons do where ZooKeeper or"
                    + " Nimbus answers late, and is started again (" + again + " of " + STARTS_AGAIN
                    + " times); its log: " + daemon.log());
            daemon.start();
        }
    }

    private IOException tooLate(List<Daemon> waiting) throws IOException {
        return starting.isEmpty()
                ? new IOException(names(waiting) + " could not be started within " + patience.toSeconds()
                        + " s: what must be ready before is not")
                : starting.keySet().iterator().next().tooLate(patience);
    }

    private static String names(Collection<Daemon> daemons) {
        return daemons.stream().map(Daemon::name).collect(Collectors.joining(", "));
    }
}
