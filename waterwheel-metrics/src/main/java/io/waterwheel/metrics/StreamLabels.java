package io.waterwheel.metrics;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/** Which streams have series of their own: the first that came, up to a number. The others are one. Thread-safe. */
final class StreamLabels {
    /** What streams beyond the number are called together. */
    static final String OTHER = "other";

    private final int most;
    /** Guarded by this. */
    private final Set<String> named = new HashSet<>();

    /** Guarded by this. */
    private Supplier<? extends Collection<String>> present = Set::of;
    /** Whether {@link #present} was given. Guarded by this. */
    private boolean known;

    StreamLabels(int most) {
        if (most < 0) {
            throw new IllegalArgumentException("streams with series of their own: expected at least 0, got " + most);
        }
        this.most = most;
    }

    synchronized void present(Supplier<? extends Collection<String>> streams) {
        present = streams;
        known = true;
    }

    synchronized String of(String stream) {
        if (named.contains(stream)) {
            return stream;
        }
        if (named.size() >= most) {
            return OTHER;
        }
        named.add(stream);
        return stream;
    }

    /** Forgets streams that are there no longer, and says which. */
    synchronized Set<String> forgetAbsent() {
        if (!known) {
            return Set.of();
        }
        Set<String> gone = new HashSet<>(named);
        gone.removeAll(present.get());
        named.removeAll(gone);
        return gone;
    }
}
