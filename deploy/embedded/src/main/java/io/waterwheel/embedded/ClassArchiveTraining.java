package io.waterwheel.embedded;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.embedded.server.LogSettings;
import io.waterwheel.query.Verdict;
import io.waterwheel.wire.WireQueries;
import io.waterwheel.wire.proto.ListStreamsReply;
import io.waterwheel.wire.proto.StatusReply;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the quick commands once against a server that answers nothing of worth, so that the JVM can write an archive of
 * the classes that they take: the launcher starts it after a build, with {@code -XX:ArchiveClassesAtExit}. With the
 * archive a command starts in a third of the time. Then it runs a server once ({@link ServerRehearsal}).
 */
final class ClassArchiveTraining {
    private static final Logger LOG = LoggerFactory.getLogger(ClassArchiveTraining.class);

    /** Seconds; on a machine where it takes longer, commands start without an archive. */
    private static final long PATIENCE = 120;

    /** Seconds, for a server to start and end. */
    private static final long SERVER_PATIENCE = 60;

    private ClassArchiveTraining() {}

    public static void main(String[] args) throws Exception {
        LogSettings.choose("log4j2-command.xml");
        Thread limit = new Thread(ClassArchiveTraining::endLate, "rehearsal-limit");
        limit.setDaemon(true);
        limit.start();
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        Terminal terminal = new Terminal(InputStream.nullInputStream(), nowhere, nowhere, false);
        try (BufferAllocator allocator = new RootAllocator();
                FlightServer server = FlightServer.builder(
                                allocator, Location.forGrpcInsecure("127.0.0.1", 0), new Answers(allocator))
                        .build()
                        .start()) {
            String url = "grpc://127.0.0.1:" + server.getPort();
            for (List<String> command : List.of(
                    List.of("--help"),
                    List.of("--version"),
                    List.of("query", "--help"),
                    List.of("stream", "list", "--server", url),
                    List.of("status", "--server", url),
                    List.of("query", "s", "--server", url),
                    List.of("query", "s", "--server", url, "--count"),
                    List.of("query", "s", "--server", url, "--where", "a > 1", "--format", "csv"),
                    List.of("query", "s", "--server", url, "--agg", "avg(a)", "--format", "json"))) {
                int code = Main.run(command.toArray(String[]::new), terminal);
                if (code != 0) {
                    throw new IllegalStateException(command + " ended with " + code);
                }
            }
        }
        rehearseServer();
        System.exit(0);
    }

    /** Last, and not for ever: without a server's classes the archive is as good for commands. */
    private static void rehearseServer() throws InterruptedException {
        Thread rehearsal = new Thread(
                () -> {
                    try {
                        ServerRehearsal.run();
                    } catch (IOException | RuntimeException e) {
                        LOG.warn("the archive of classes has not all of a server's: it did not run", e);
                    }
                },
                "server-rehearsal");
        rehearsal.setDaemon(true);
        rehearsal.start();
        rehearsal.join(TimeUnit.SECONDS.toMillis(SERVER_PATIENCE));
    }

    /** The launcher waits for this process: it must not do so for ever. */
    private static void endLate() {
        try {
            TimeUnit.SECONDS.sleep(PATIENCE);
        } catch (InterruptedException e) {
            return; // nothing interrupts this thread
        }
        Runtime.getRuntime().halt(1);
    }

    /** No streams, and one row to any query. */
    private static final class Answers extends NoOpFlightProducer {
        private final BufferAllocator allocator;

        Answers(BufferAllocator allocator) {
            this.allocator = allocator;
        }

        @Override
        public void doAction(CallContext context, Action action, StreamListener<Result> listener) {
            byte[] reply = action.getType().equals("status")
                    ? StatusReply.newBuilder()
                            .setJson("{\"streams\":[]}")
                            .build()
                            .toByteArray()
                    : ListStreamsReply.getDefaultInstance().toByteArray();
            listener.onNext(new Result(reply));
            listener.onCompleted();
        }

        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            try (BigIntVector values = new BigIntVector("a", allocator);
                    VectorSchemaRoot root = VectorSchemaRoot.of(values)) {
                values.allocateNew(1);
                values.set(0, 1);
                root.setRowCount(1);
                listener.start(root);
                byte[] verdict = WireQueries.verdict(new Verdict(true, List.of(), Map.of(), 1, 1, 1, 0));
                ArrowBuf metadata = allocator.buffer(verdict.length);
                metadata.writeBytes(verdict);
                listener.putNext(metadata);
                listener.completed();
            }
        }
    }
}
