package gate;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Where the compiler finds Error Prone in the gate ({@code -XDprocloader} in the parent pom): one loader for all runs of
 * the compiler in Maven's JVM. By default each of the two dozen runs reads Error Prone's classes anew, and the JVM
 * compiles them anew. The launcher compiles this class and puts it where the compiler can see it; without it, or where
 * the compiler is not asked by its command line, each run has a loader of its own.
 */
public final class SharedProcessors extends ClassLoader {
    private static final Map<List<String>, ClassLoader> LOADERS = new ConcurrentHashMap<>();

    /** As the compiler calls it. Not closeable: it is not closed after a run. */
    public SharedProcessors(URL[] path, ClassLoader parent) {
        super(LOADERS.computeIfAbsent(
                Stream.of(path).map(URL::toExternalForm).toList(), unseen -> new URLClassLoader(path, parent)));
    }
}
