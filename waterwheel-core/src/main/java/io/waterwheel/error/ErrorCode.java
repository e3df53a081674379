package io.waterwheel.error;

import static io.waterwheel.error.WaterwheelException.Kind.CORRUPT;
import static io.waterwheel.error.WaterwheelException.Kind.TEMPORARY;
import static io.waterwheel.error.WaterwheelException.Kind.UNKNOWN_OUTCOME;
import static io.waterwheel.error.WaterwheelException.Kind.USER;

import io.waterwheel.error.WaterwheelException.Kind;
import java.util.Optional;

/**
 * Every code that a {@link WaterwheelException} of this release carries. A name is never changed or given another
 * meaning, since programs compare with it; docs/errors.md is made of this list.
 */
public enum ErrorCode {
    /** The address a server should listen on is taken, or is not this machine's. */
    ADDRESS_UNUSABLE(TEMPORARY, "Stop the process that listens on the address and port, or choose others."),
    /** The chunk store lacks the mark of the one that holds this catalog's chunks. */
    ANOTHER_STORE(USER, "Correct `chunk-store.uri` or mount the file system; after a move, do what the message says."),
    /** A folder of the library holds another stream than was asked for. */
    ANOTHER_STREAM(USER, "Open the folder with the stream it was made for, or take another folder."),
    /** An answer ended in the middle, and no other coordinator can continue it. */
    ANSWER_CUT_OFF(TEMPORARY, "Discard the rows that have come, and repeat the query."),
    /** The server's memory for answers under way is used up. */
    ANSWER_MEMORY_FULL(TEMPORARY, "Repeat the query later, or give the server more direct memory."),
    /** An appender that has failed was used again. */
    APPENDER_FAILED(USER, "Close the appender, open its name again and go on from where it stands."),
    /** Kafka did not confirm some of what was appended. */
    APPEND_FAILED(
            UNKNOWN_OUTCOME,
            "Count what is there before you append again, or append under a name: that knows what was committed."),
    /** A coordinator's announcement in ZooKeeper cannot be read. */
    BAD_ADDRESS(CORRUPT, "Check which other program writes below the node that the message names."),
    /** A server's answer is not as the protocol says. */
    BAD_ANSWER(Kind.BUG, "Report it; use a client and a server of the same release meanwhile."),
    /** The boundaries for a key's partitions do not fit the stream. */
    BAD_BOUNDARIES(USER, "Correct the boundaries as the message says."),
    /** A configuration cannot be used. */
    BAD_CONFIGURATION(USER, "Correct what the message lists; docs/configuration.md has every key."),
    /** A control message between workers is cut or too long. */
    BAD_CONTROL(USER, "Run the same release on every worker, and let no one else reach the workers' ports."),
    /** The detail of a server's error cannot be read. */
    BAD_ERROR(Kind.BUG, "Report it; use a client and a server of the same release meanwhile."),
    /** A condition or an argument of an aggregate is no expression. */
    BAD_EXPRESSION(USER, "Correct the expression where the message points; docs/queries.md has the grammar."),
    /** A file is not one a schema can be proposed from. */
    BAD_FILE(USER, "Correct the file where the message points, or write the schema by hand."),
    /** The node of the workers' secret does not hold 32 bytes. */
    BAD_PEER_SECRET(CORRUPT, "Stop the topology, delete the node that the message names, and start it again."),
    /** A query contradicts itself, the stream or a limit. */
    BAD_QUERY(USER, "Correct the query as the message says; docs/limits.md has the limits."),
    /** A reply other than an answer is not as the protocol says. */
    BAD_REPLY(Kind.BUG, "Report it; use a client and a server of the same release meanwhile."),
    /** The request is malformed or exceeds a limit. */
    BAD_REQUEST(USER, "Correct the request as the message says."),
    /** A statement cannot be read, or its parts do not fit. */
    BAD_SQL(USER, "Correct the statement where the message points; docs/sql.md has the grammar."),
    /** A topic's name is reserved or too long. */
    BAD_TOPIC(USER, "Choose another name for the topic."),
    /** Storm does not take the topology. */
    BAD_TOPOLOGY(USER, "Correct the configuration as Storm says in the message."),
    /** A tuple block is malformed. */
    BLOCK_MALFORMED(CORRUPT, "Send blocks as docs/tuple-block-format.md describes; if a worker sent it, try again."),
    /** The server has a defect. */
    BUG(Kind.BUG, "Report it, with the server's log of that time."),
    /** A verification is under way already. */
    BUSY(TEMPORARY, "Repeat the call when the other verification has ended."),
    /** A call failed in a way that is not foreseen. */
    CALL_FAILED(Kind.BUG, "Read the message: a proxy or another service may listen at that address."),
    /** The answer was cancelled, by its reader or on the way. */
    CANCELLED(TEMPORARY, "Nothing, when it was meant; otherwise ask again."),
    /** Others changed the same entries of the catalog again and again. */
    CATALOG_BUSY(TEMPORARY, "Ask again later; others are changing the same entries."),
    /** ZooKeeper refuses access to the catalog. */
    CATALOG_DENIED(USER, "Set `zookeeper.auth` to the credentials that the catalog was made with."),
    /** The catalog's nodes were removed while its chunks are still there. */
    CATALOG_LOST(CORRUPT, "Restore what the message names from a copy; docs/operations.md says how."),
    /** ZooKeeper does not answer. */
    CATALOG_UNAVAILABLE(TEMPORARY, "Check that ZooKeeper runs and that `zookeeper.connect` is right, then try again."),
    /** A chunk file is not as it was written. */
    CHUNK_CORRUPT(CORRUPT, "Restore the chunk file from a copy; docs/operations.md says how."),
    /** A chunk's name is taken by a file of other content. */
    CHUNK_NAME_TAKEN(CORRUPT, "Give each namespace, and each new catalog, a chunk store of its own."),
    /** The chunk store does not answer. */
    CHUNK_STORE_UNAVAILABLE(TEMPORARY, "Check that the chunk store can be reached, then try again."),
    /** The receiver of an answer is gone; only a server's log has it. */
    CLIENT_GONE(TEMPORARY, "Nothing: there is no one to answer."),
    /** The answers that a client has open use up its memory for them. */
    CLIENT_MEMORY_FULL(TEMPORARY, "Read or close some of the open answers, then repeat the query."),
    /** A client takes too little of its answer. */
    CLIENT_SLOW(TEMPORARY, "Read without long pauses, or ask for less; docs/limits.md has the bound."),
    /** An answer's memory was not given back. */
    CLOSE_FAILED(Kind.BUG, "Report it."),
    /** An entry of the catalog cannot be read. */
    CORRUPT_CATALOG(CORRUPT, "Restore the entry from a copy, or use the release that wrote it."),
    /** A disk has no more room than its reserve. */
    DISK_FULL(TEMPORARY, "Make room on the disk; work goes on by itself."),
    /** A disk takes no files. */
    DISK_READ_ONLY(TEMPORARY, "Mend the disk, or mount it for writing; work goes on by itself."),
    /** A topology did not stop reading in time. */
    DRAIN_SLOW(TEMPORARY, "Drain the topology again, with a longer `--deadline`."),
    /** A stream is dropped, and some of its entries are left. */
    DROP_UNFINISHED(TEMPORARY, "Nothing: the coordinators remove the rest."),
    /** A file cannot be read. */
    FILE_UNREADABLE(USER, "Name a file that exists and that you may read."),
    /** A flush did not end in time. */
    FLUSH_SLOW(TEMPORARY, "Repeat the call: flushing goes on."),
    /** The chunk store is of another catalog. */
    FOREIGN_STORE(USER, "Give each namespace a folder of its own in `chunk-store.uri`."),
    /** A worker's heap is smaller than its buffers may become. */
    HEAP_TOO_SMALL(USER, "Give the worker the heap that the message names, or make its buffers smaller."),
    /** An answer lacks something, and the query does not allow that. */
    INCOMPLETE(TEMPORARY, "Repeat the query, allow more time or a partial answer; or do what the message says."),
    /** A sum or a computed number exceeds 64 bits. */
    INTEGER_OVERFLOW(USER, "Compute with a double, such as `1.0 * FIELD`, or narrow the query."),
    /** The caller's thread was interrupted. */
    INTERRUPTED(TEMPORARY, "Nothing, if it was intended; otherwise try again."),
    /** The JVM was started without an option that Apache Arrow needs. */
    JVM_OPTION_MISSING(USER, "Start java with `--add-opens=java.base/java.nio=ALL-UNNAMED`."),
    /** The server cannot use Kafka. */
    KAFKA_UNAVAILABLE(TEMPORARY, "Check that the brokers run and that the server reaches them, then try again."),
    /** The client cannot use Kafka. */
    KAFKA_UNREACHABLE(TEMPORARY, "Check that the brokers run and that this machine reaches them, then try again."),
    /** A topology was killed and is still listed. */
    KILL_SLOW(TEMPORARY, "Repeat `waterwheel topology list` until it is gone."),
    /** A part of the client needs a library that is not on the class path. */
    LIBRARY_MISSING(USER, "Put the library that the message names on the class path."),
    /** A topic was made anew under a stream. */
    LOG_CHANGED(TEMPORARY, "See `waterwheel offsets show STREAM`, which says what is read of the new topic."),
    /** An offset that should be read is not in the log. */
    LOG_GAP(CORRUPT, "See `waterwheel status`; docs/exactness.md says when a range is recorded as lost."),
    /** A part of a topic cannot be read now. */
    LOG_UNAVAILABLE(TEMPORARY, "Check that the broker that leads the partition runs, then try again."),
    /** A partition cannot be read from where it stands. */
    LOG_UNREADABLE(TEMPORARY, "Read the message for Kafka's reason; reading is tried again by itself."),
    /** A manifest file of the catalog is damaged. */
    MANIFEST_CORRUPT(CORRUPT, "Restore the file from a copy."),
    /** A manifest file cannot be read now. */
    MANIFEST_UNAVAILABLE(TEMPORARY, "Check that the chunk store can be reached, then try again."),
    /** Nimbus failed to answer. */
    NIMBUS_FAILED(TEMPORARY, "Look into Nimbus's log, then try again."),
    /** No Nimbus leads at the addresses. */
    NIMBUS_UNREACHABLE(TEMPORARY, "Start Storm, or name its Nimbus with `--nimbus HOST:PORT`."),
    /** The log no longer holds anything that a verification could compare. */
    NOTHING_TO_COMPARE(USER, "Read the chunks themselves with `chunk verify`; let the topic keep records longer."),
    /** Kafka or Nimbus refuses the caller. */
    NOT_ALLOWED(USER, "Take credentials that are allowed to do it, or ask who runs the server."),
    /** A client called a port of workers. */
    NOT_A_COORDINATOR(USER, "Call a coordinator; `waterwheel status` names them."),
    /** What listens there speaks another protocol. */
    NOT_A_SERVER(USER, "Name the port of a server for queries."),
    /** A worker's call came to the clients' port. */
    NOT_A_WORKER(USER, "Send only clients' calls to this port."),
    /** A drain ended while some records were read and not in chunks. */
    NOT_DRAINED(Kind.BUG, "Report it. Nothing is lost: the next topology reads on from the checkpoints."),
    /** A submitted topology took no query in time. */
    NOT_READY(TEMPORARY, "Look into the logs of Storm's workers."),
    /** A topology is not one of Waterwheel. */
    NOT_WATERWHEEL(USER, "Name a topology of Waterwheel, or end this one with `storm kill`."),
    /** No coordinator is known. */
    NO_COORDINATOR(TEMPORARY, "Check that the topology runs and that the namespace is right."),
    /** The workers' secret could not be made. */
    NO_PEER_SECRET(TEMPORARY, "Nothing: the worker tries again when Storm starts it again."),
    /** The coordinators have no port to listen on. */
    NO_PORT(USER, "List at least one port in `coordinator.ports`."),
    /** A shape was asked for, and the key is no position. */
    NO_POSITION(USER, "Query by key, or create the stream with a position in its key."),
    /** A call ended without a reply. */
    NO_REPLY(Kind.BUG, "Report it; use a client and a server of the same release meanwhile."),
    /** The server does not know the action. */
    NO_SUCH_ACTION(USER, "Use a client of the server's release."),
    /** The stream has no such field. */
    NO_SUCH_FIELD(USER, "Name a field that the message lists."),
    /** ZooKeeper has no such namespace. */
    NO_SUCH_NAMESPACE(USER, "Correct `--namespace`; the message lists those there are."),
    /** The stream has no such partition. */
    NO_SUCH_PARTITION(USER, "Name a partition that the message lists."),
    /** No such query is open. */
    NO_SUCH_QUERY(USER, "See `waterwheel queries list`; the query may have ended."),
    /** There is no such stream, or it was dropped. */
    NO_SUCH_STREAM(USER, "See `waterwheel stream list`."),
    /** There is no table of that name. */
    NO_SUCH_TABLE(USER, "See `SHOW TABLES`."),
    /** The stream's topic is not there. */
    NO_SUCH_TOPIC(TEMPORARY, "Restore the topic, or drop the stream."),
    /** Storm has no such topology. */
    NO_SUCH_TOPOLOGY(USER, "See `waterwheel topology list`."),
    /** There is no view of that name. */
    NO_SUCH_VIEW(USER, "See `SHOW VIEWS`."),
    /** The positions to read from cannot be set to these. */
    OFFSETS_REFUSED(USER, "Read the message; `waterwheel offsets show STREAM` says what is possible."),
    /** A named append goes on with another file than it began with. */
    OTHER_FILE(USER, "Append the file that was begun under this name, or choose another name."),
    /** A name was used by an append of another sort. */
    OTHER_PROGRESS(USER, "Choose another name: another kind of append has used this one."),
    /** A call that changes something was lost on the way. */
    OUTCOME_UNKNOWN(UNKNOWN_OUTCOME, "Check whether it was done before you try again."),
    /** A worker's connection has not proved to be of this topology. */
    PEER_UNPROVED(TEMPORARY, "Nothing while workers start; otherwise check which process listens at that address."),
    /** The topic with the progress of named appends would lose notes. */
    PROGRESS_FORGOTTEN(USER, "Set `cleanup.policy` of the topic that the message names to `compact`."),
    /** The progress of a named append cannot be read now. */
    PROGRESS_UNREADABLE(TEMPORARY, "Check that the brokers run, then try again."),
    /** A query was ended by hand. */
    QUERY_KILLED(USER, "Ask the operator before you repeat the query."),
    /** A query needs more memory than it may take. */
    QUERY_MEMORY(
            USER, "Ask for less, raise the key that the message names, or wait while other queries hold the memory."),
    /** A query is longer than a worker may send to another. */
    QUERY_TOO_LARGE(USER, "Use fewer key ranges, a shorter condition or a simpler polygon."),
    /** A Java record does not fit the rows. */
    RECORD_MISFIT(USER, "Change the record's components as the message says."),
    /** A Java record's constructor threw. */
    RECORD_REFUSED(USER, "Narrow the query, or let the record's constructor accept the row."),
    /** A tuple is larger than Kafka takes. */
    RECORD_TOO_LARGE(USER, "Make the tuple smaller, or raise the topic's `max.message.bytes`."),
    /** An answer would hold more at once than is allowed. */
    RESULT_TOO_LARGE(USER, "Narrow the query, or give it a limit."),
    /** A stream's routing was changed by others meanwhile. */
    ROUTING_BUSY(TEMPORARY, "Try again."),
    /** Some partitions have not adopted the newest routing table. */
    ROUTING_UNFINISHED(TEMPORARY, "See that a coordinator runs, and try again."),
    /** A stream's definition is wrong. */
    SCHEMA_INVALID(USER, "Correct what the message lists; docs/schema.md has every word."),
    /** The registry that has the schemas of a topic's records does not answer. */
    SCHEMA_REGISTRY_UNAVAILABLE(
            TEMPORARY, "Check that the registry runs, its address, and what lets one in; reading goes on by itself."),
    /** The server runs as many calls as it may at a time. */
    SERVER_BUSY(TEMPORARY, "Try again later; docs/limits.md has the bounds."),
    /** The server is closing. */
    SERVER_CLOSING(TEMPORARY, "Ask another coordinator, or the same one when it is back."),
    /** No server answers at the address. */
    SERVER_UNREACHABLE(TEMPORARY, "Check that the server runs and that the address is right."),
    /** Other queries hold the disk for what a query cannot hold in memory. */
    SPILL_BUSY(TEMPORARY, "Try again later, or raise `query.spill`."),
    /** What a query cannot hold in memory could not be written to disk, or read. */
    SPILL_FAILED(TEMPORARY, "Check the disk of the workers' temporary folder (`java.io.tmpdir`), then try again."),
    /** What a query cannot hold in memory is more than one query may put on disk, or than the disk has. */
    SPILL_FULL(USER, "Group by less, narrow the query, or give it more disk, as the message says."),
    /** The process that answers joins has ended in the middle of a statement, or does not start. */
    SQL_EXECUTOR_ENDED(
            TEMPORARY, "Repeat the statement: the process is started again. The server's log has its errors."),
    /** A statement has joins, windows or set operations, and the library that answers them is not there. */
    SQL_EXECUTOR_MISSING(USER, "Submit the topology with duckdb_jdbc's jar; docs/operations.md says how."),
    /** A statement asks for what is not supported. */
    SQL_UNSUPPORTED(USER, "Ask as the message says; docs/sql.md lists what is supported."),
    /** A value of a statement's answer cannot be computed. */
    SQL_VALUE(USER, "Leave such values out by a condition, or make them null, as NULLIF(x, 0) does."),
    /** A worker is starting. */
    STARTING(TEMPORARY, "Try again in some seconds."),
    /** A stream could not be dropped, since others changed it. */
    STREAM_BUSY(TEMPORARY, "Try again."),
    /** A stream has other partitions than its reader believed. */
    STREAM_CHANGED(TEMPORARY, "Read the stream's entry again."),
    /** There is a stream of this name. */
    STREAM_EXISTS(USER, "Use the stream that exists, drop it first, or choose another name."),
    /** Another process has the folder open. */
    STREAM_IN_USE(USER, "Close the folder in the other process first."),
    /** A worker does not know the stream, yet or no longer. */
    STREAM_UNKNOWN_HERE(TEMPORARY, "Nothing: the coordinator plans the query anew."),
    /** A stream's entry cannot be read, and so it cannot be drained. */
    STREAM_UNREADABLE(USER, "Repair the entry, or end the topology with `waterwheel topology kill`."),
    /** A part of a query ended before it was through. */
    SUBQUERY_CUT(TEMPORARY, "Nothing: the coordinator asks again, or says what is missing."),
    /** A part of a query failed on a worker. */
    SUBQUERY_FAILED(TEMPORARY, "Nothing: the coordinator asks another worker."),
    /** There is a table of that name. */
    TABLE_EXISTS(USER, "Use `CREATE OR REPLACE TABLE`, drop it first, or choose another name."),
    /** A routing table is no longer needed and gone. */
    TABLE_GONE(TEMPORARY, "Read the route again."),
    /** Another append under the same name has begun. */
    TAKEN_OVER(USER, "Run one append under a name at a time; run it again and it goes on."),
    /** No answer, or not all of it, came in time. */
    TIMEOUT(TEMPORARY, "Repeat the query, or allow more time."),
    /** More time was asked for than a query may take. */
    TIMEOUT_TOO_LONG(USER, "Ask with a shorter timeout, or raise `maintenance.grace`."),
    /** A query has more groups than it may. */
    TOO_MANY_GROUPS(USER, "Group by less, or narrow the query."),
    /** A topic was not read to the end in the time. */
    TOO_SLOW(TEMPORARY, "Allow more time."),
    /** A stream's topic would lose records by compaction. */
    TOPIC_COMPACTED(USER, "Set the topic's `cleanup.policy` to `delete`, or choose another topic."),
    /** A stream was to read a topic with tuple blocks of a stream that is otherwise. */
    TOPIC_HAS_BLOCKS(USER, "Make both streams without tuple blocks: of csv or json, without `blocks` in `records`."),
    /** A stream was to be made of a file, and its topic has records already, which would be rows of it too. */
    TOPIC_HAS_RECORDS(USER, "Say `--keep-records` to have them too, take another name, or delete the topic."),
    /** Kafka does not make such a topic, as with more partitions than it allows. */
    TOPIC_REFUSED(USER, "Ask for what the message says is allowed, such as fewer partitions."),
    /** A stream was to have a topic of its own name, which another reads. */
    TOPIC_TAKEN(USER, "Choose another name for the stream, and name the topic if it is to be shared."),
    /** Whether a topic feeds a stream already cannot be told, because an entry of the catalog cannot be read. */
    TOPIC_UNSURE(USER, "Mend the entry that the message names, or use the release that wrote it."),
    /** A topology is being killed already. */
    TOPOLOGY_ENDS(USER, "Wait until it is gone."),
    /** There is a topology of this name. */
    TOPOLOGY_EXISTS(USER, "Drain it first, or choose another `topology.name` and `namespace`."),
    /** A tree was flushed and forgotten while a query read it. */
    TREE_GONE(TEMPORARY, "Repeat the query: the tree's tuples are in a chunk now."),
    /** An operator or a function got values of a type it does not take. */
    TYPE_MISMATCH(USER, "Correct the expression as the message says."),
    /** There is a view of that name. */
    VIEW_EXISTS(USER, "Use `CREATE OR REPLACE VIEW`, drop it first, or choose another name."),
    /** ZooKeeper does not let the client read where the coordinators are. */
    ZOOKEEPER_DENIED(USER, "Submit the topology again with a release that opens the node, or name a coordinator."),
    /** ZooKeeper failed to say where the coordinators are. */
    ZOOKEEPER_FAILED(TEMPORARY, "Try again; the message has ZooKeeper's reason."),
    /** No ZooKeeper answers at the addresses. */
    ZOOKEEPER_UNREACHABLE(TEMPORARY, "Check that ZooKeeper runs and that the addresses are right.");

    private final Kind kind;
    private final String advice;

    ErrorCode(Kind kind, String advice) {
        this.kind = kind;
        this.advice = advice;
    }

    /** The party at fault, and so whether to try again. */
    public Kind kind() {
        return kind;
    }

    /** The remedy, in one sentence or two; a failure's message gives it with the names of the case. */
    public String advice() {
        return advice;
    }

    /** The code of this name; empty for one that this release does not know. */
    public static Optional<ErrorCode> of(String text) {
        for (ErrorCode code : values()) {
            if (code.name().equals(text)) {
                return Optional.of(code);
            }
        }
        return Optional.empty();
    }
}
