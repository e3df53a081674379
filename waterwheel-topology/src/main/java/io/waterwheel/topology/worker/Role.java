package io.waterwheel.topology.worker;

import java.util.Locale;

/** What a task of the topology is; with its index among the tasks of that role, its address for control messages. */
public enum Role {
    SPOUT,
    DISPATCHER,
    INDEXER,
    QUERY_SERVER,
    COORDINATOR;

    /** Name of the Storm component, and of the role in addresses: {@code query-server}. */
    public String component() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Address of a task of this role: {@code indexer-3}. */
    public String address(int index) {
        return component() + "-" + index;
    }
}
