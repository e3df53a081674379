package io.waterwheel.topology.rpc;

import io.grpc.Metadata;
import io.waterwheel.query.Statement;
import io.waterwheel.schema.Field;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.apache.arrow.flight.FlightProducer;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** A protocol of others that clients may speak on the same port, such as Flight SQL. */
public interface FlightExtension {
    /** Whether a DoGet with this ticket is meant for it. */
    boolean takesTicket(byte[] ticket);

    /** Whether an action of this type is meant for it. */
    boolean takesAction(String type);

    /**
     * A connection begins. What is remembered of one before it from the same host and port is another's.
     *
     * @param client as {@link Services#client} names it
     */
    void connected(String client);

    /** What answers; told of the server that it is part of. */
    FlightProducer over(Services services);

    /** What a server does for it. Thread-safe. */
    interface Services {
        /** The memory for answers. */
        BufferAllocator allocator();

        /** Of the call that this thread was given. */
        Headers headers();

        /** Host and port of who makes the call that this thread was given; empty when it is not known. */
        String client();

        /** What an answer of these fields is announced as. */
        Schema schema(List<Field> fields, List<ColumnSink.Column> columns, Form form);

        /** The statement with the time that it gets: its own, the server's and the caller's. */
        Statement timed(Statement statement);

        /**
         * Answers a statement on a thread of its own, within the statement's timeout, the server's and the caller's.
         *
         * @param started is told what cancels the answer, before anything else
         * @param ended is run when the answer has ended
         */
        void answer(
                Statement statement,
                Form form,
                StatementHandler handler,
                ServerStreamListener listener,
                Consumer<Runnable> started,
                Runnable ended);

        /**
         * Does what may block, on a thread of its own.
         *
         * @param failed is told of a failure, also when there is no thread for it
         */
        void run(Work work, Consumer<FlightRuntimeException> failed);

        /** How long a client that sends or takes nothing is waited for. */
        Duration patience();

        /** As the caller is told; what is no WaterwheelException is a defect, and logged. */
        FlightRuntimeException error(Throwable failure);
    }

    /** Something that may block, and fail. */
    interface Work {
        void run() throws Exception;
    }

    /**
     * How answers are written as Arrow.
     *
     * @param nullable whether every column is announced as one that may be null
     * @param zoned whether timestamps name their zone, UTC
     * @param nanos whether timestamps count nanoseconds, whatever their fields count
     */
    record Form(boolean nullable, boolean zoned, boolean nanos) {
        /** That of the answers to our own tickets. */
        public static final Form OWN = new Form(false, true, false);
    }

    /** The headers of a call, and what goes back with its answer. Thread-safe. */
    final class Headers {
        private static final Metadata.Key<String> SET_COOKIE =
                Metadata.Key.of("set-cookie", Metadata.ASCII_STRING_MARSHALLER);

        private final Metadata sent;
        private volatile @Nullable String cookie;

        Headers(Metadata sent) {
            this.sent = sent;
        }

        /** The value of a header; null when there is none. */
        public @Nullable String get(String name) {
            return sent.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
        }

        /** The names of the headers, in lower case. */
        public List<String> names() {
            return List.copyOf(sent.keys());
        }

        /** Hands the caller a cookie, unless its answer has begun. */
        public void setCookie(String nameAndValue) {
            cookie = nameAndValue;
        }

        void addTo(Metadata answer) {
            String set = cookie;
            if (set != null) {
                answer.put(SET_COOKIE, set);
            }
        }
    }
}
