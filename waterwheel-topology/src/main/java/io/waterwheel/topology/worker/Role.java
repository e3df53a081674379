package io.waterwheel.topology.worker;

import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.Locale;

/** What a task of the topology is; with its index among the tasks of that role, its address for control messages. */
public enum Role {
    SPOUT,
    DISPATCHER,
    INDEXER,
    QUERY_SERVER,
    COORDINATOR;

    /** How many tasks of this role a topology has. */
    public int tasks(WaterwheelConfig config) {
        return config.get(
                switch (this) {
                    case SPOUT -> Keys.SPOUT_TASKS;
                    case DISPATCHER -> Keys.DISPATCHER_TASKS;
                    case INDEXER -> Keys.INDEXER_TASKS;
                    case QUERY_SERVER -> Keys.QUERY_SERVER_TASKS;
                    case COORDINATOR -> Keys.COORDINATOR_TASKS;
                });
    }

    /**
     * Whose tasks get the messages of this role's.
     *
     * @throws IllegalStateException when these send none
     */
    public Role next() {
        return switch (this) {
            case SPOUT -> DISPATCHER;
            case DISPATCHER -> INDEXER;
            case INDEXER, QUERY_SERVER, COORDINATOR ->
                throw new IllegalStateException("a task of role " + component() + " sends no messages");
        };
    }

    /** Name of the Storm component, and of the role in addresses: {@code query-server}. */
    public String component() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Address of a task of this role: {@code indexer-3}. */
    public String address(int index) {
        return component() + "-" + index;
    }
}
