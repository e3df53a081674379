package io.waterwheel.topology.wiring;

import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which hosts hold a replica of which chunk file. What is not known is looked up, many files beside one another: of a
 * cold query's thousand chunks, one after the other would be a second. It is a preference only, so no query waits for
 * it longer than the patience. Thread-safe.
 */
final class ReplicaHosts {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaHosts.class);
    static final int KEPT = 100_000;
    /** Told from others by identity, and not kept. */
    private static final List<String> UNKNOWN = Collections.unmodifiableList(new ArrayList<>());

    /** Replicas move when a host is lost or files are balanced: what is older is looked up again, beside the query. */
    private static final Duration TRUSTED = Duration.ofMinutes(5);

    /** Tells the hosts of a file: the chunk store. */
    interface Source {
        List<String> hosts(String file) throws IOException;
    }

    private final AsyncLoadingCache<String, List<String>> hosts;
    private final Duration patience;

    /**
     * @param lookups whose threads wait for the source
     * @param patience of {@link #of}
     */
    ReplicaHosts(Source source, Executor lookups, Duration patience) {
        this.patience = patience;
        this.hosts = Caffeine.newBuilder()
                .maximumSize(KEPT)
                .refreshAfterWrite(TRUSTED)
                .executor(lookups)
                .buildAsync(new Lookup(source));
    }

    /** Never fails: the cache would write each failure into the log. */
    private record Lookup(Source source) implements CacheLoader<String, List<String>> {
        @Override
        public List<String> load(String file) {
            try {
                return List.copyOf(source.hosts(file));
            } catch (IOException e) {
                LOG.debug("[{}] its replicas are not known", file, e);
                return UNKNOWN;
            }
        }

        /** What was known is kept when it cannot be looked up again. */
        @Override
        public List<String> reload(String file, List<String> known) {
            List<String> anew = load(file);
            return anew == UNKNOWN ? known : anew;
        }
    }

    /** The hosts of each file; of some, where they cannot be looked up in time, nothing. */
    Map<String, List<String>> of(Collection<String> files) throws InterruptedException {
        Map<String, CompletableFuture<List<String>>> asked = new LinkedHashMap<>();
        files.forEach(file -> asked.put(file, hosts.get(file)));
        long deadline = System.nanoTime() + patience.toNanos();
        Map<String, List<String>> known = new HashMap<>();
        for (Map.Entry<String, CompletableFuture<List<String>>> each : asked.entrySet()) {
            try {
                long left = Math.max(0, deadline - System.nanoTime());
                List<String> found = each.getValue().get(left, TimeUnit.NANOSECONDS);
                if (found == UNKNOWN) {
                    hosts.asMap().remove(each.getKey(), each.getValue());
                } else {
                    known.put(each.getKey(), found);
                }
            } catch (TimeoutException | ExecutionException e) {
                LOG.debug("[{}] its replicas are not known", each.getKey(), e);
            }
        }
        return known;
    }
}
