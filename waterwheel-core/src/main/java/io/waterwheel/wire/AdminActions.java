package io.waterwheel.wire;

import java.util.List;

/** Names of the calls that manage streams; {@code admin.proto} has their messages. */
public final class AdminActions {
    public static final String CREATE_STREAM = "create-stream";
    public static final String LIST_STREAMS = "list-streams";
    public static final String DESCRIBE_STREAM = "describe-stream";
    public static final String DROP_STREAM = "drop-stream";
    public static final String FLUSH_STREAM = "flush-stream";
    public static final String ALTER_STREAM = "alter-stream";
    public static final String SHOW_PARTITIONS = "show-partitions";
    public static final String SET_PARTITIONS = "set-partitions";
    public static final String SHOW_RETENTION = "show-retention";
    public static final String SHOW_OFFSETS = "show-offsets";
    public static final String SET_OFFSETS = "set-offsets";
    public static final String VERIFY_STREAM = "verify-stream";
    public static final String CHECK_CHUNKS = "check-chunks";
    public static final String STATUS = "status";
    public static final String LIST_QUERIES = "list-queries";
    public static final String KILL_QUERY = "kill-query";

    /** Every one of them. */
    public static final List<String> ALL = List.of(
            CREATE_STREAM,
            LIST_STREAMS,
            DESCRIBE_STREAM,
            DROP_STREAM,
            FLUSH_STREAM,
            ALTER_STREAM,
            SHOW_PARTITIONS,
            SET_PARTITIONS,
            SHOW_RETENTION,
            SHOW_OFFSETS,
            SET_OFFSETS,
            VERIFY_STREAM,
            STATUS,
            LIST_QUERIES,
            KILL_QUERY);

    private AdminActions() {}
}
