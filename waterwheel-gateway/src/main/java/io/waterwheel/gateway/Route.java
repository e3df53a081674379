package io.waterwheel.gateway;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint and where it is.
 *
 * @param methods of HTTP that it answers
 * @param path such as {@code /v1/streams/{stream}}; the stream's name is the only part that varies
 * @param mostBodyBytes longest body; 0: it takes none
 * @param kind on which threads it is answered
 * @param own the path between its slashes
 * @param endpoint answers, or throws what the client is to be told
 */
record Route(Set<String> methods, String path, int mostBodyBytes, Kind kind, Endpoint endpoint, List<String> own) {
    static final String STREAM = "{stream}";

    /** On which threads a request is answered. */
    enum Kind {
        /** On that which read it: it waits for nothing. */
        AT_ONCE,
        /** On one of few, which may wait for a coordinator. */
        LOOK,
        /** It takes rows, and hands itself to a thread that decodes them where that, or a look, may take a while. */
        PUSH,
        /** It hands itself to threads of its own. */
        OWN,
        /** As its own; it lasts until its client ends the connection. */
        ENDLESS
    }

    Route(Set<String> methods, String path, int mostBodyBytes, Kind kind, Endpoint endpoint) {
        this(
                methods,
                path,
                mostBodyBytes,
                kind,
                endpoint,
                List.of(path.substring(1).split("/", -1)));
    }

    /** Answers requests. */
    @FunctionalInterface
    interface Endpoint {
        void answer(Exchange exchange);
    }

    /**
     * Whether the path is this one's.
     *
     * @param segments between the slashes, decoded
     * @return the stream's name, empty where the path has none; null when it is another path
     */
    @Nullable
    String match(List<String> segments) {
        if (own.size() != segments.size()) {
            return null;
        }
        String name = "";
        for (int i = 0; i < own.size(); i++) {
            if (own.get(i).equals(STREAM)) {
                name = segments.get(i);
                if (name.isEmpty()) {
                    return null;
                }
            } else if (!own.get(i).equals(segments.get(i))) {
                return null;
            }
        }
        return name;
    }
}
