package io.waterwheel.catalog;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of a namespace's streams. One that is damaged, or of a newer release, hides none of the others.
 *
 * @param readable by name
 * @param unreadable names of streams that are there, and of which no more is known
 */
public record StreamEntries(List<StreamInfo> readable, List<String> unreadable) {
    private static final Logger LOG = LoggerFactory.getLogger(StreamEntries.class);

    public StreamEntries {
        readable = List.copyOf(readable);
        unreadable = List.copyOf(unreadable);
    }

    static StreamEntries read(Namespace namespace) {
        List<StreamInfo> readable = new ArrayList<>();
        List<String> unreadable = new ArrayList<>();
        for (String name : namespace.names()) {
            try {
                namespace.find(name).ifPresent(readable::add);
            } catch (CorruptCatalogException e) {
                LOG.warn("stream {} is passed over: {}", name, e.getMessage());
                unreadable.add(name);
            }
        }
        return new StreamEntries(readable, unreadable);
    }
}
