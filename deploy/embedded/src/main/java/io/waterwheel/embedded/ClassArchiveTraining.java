package io.waterwheel.embedded;

import com.google.protobuf.Message;
import io.waterwheel.cli.ServerOption;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.embedded.server.LogSettings;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.wire.AdminCall;
import io.waterwheel.wire.WireQueries;
import io.waterwheel.wire.proto.DescribeStreamRequest;
import io.waterwheel.wire.proto.ListStreamsReply;
import io.waterwheel.wire.proto.StatusReply;
import io.waterwheel.wire.proto.StreamDescription;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.Types;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.slf4j.LoggerFactory;

/**
 * Does once what many processes do, so that the JVM can write an archive of the classes that this takes: the launcher
 * starts it after a build, with {@code -XX:ArchiveClassesAtExit}. With the archive a process starts in a third of the
 * time. There are two, for two class paths: {@code client} runs the client's commands against a server that answers
 * nothing of worth, {@code server} runs a server ({@link ServerRehearsal}).
 */
final class ClassArchiveTraining {
    /** Seconds; on a machine where it takes longer, commands start without an archive. */
    private static final long PATIENCE = 120;

    /** Seconds, for a server to start and end. */
    private static final long SERVER_PATIENCE = 60;

    private static final Terminal NOWHERE = new Terminal(InputStream.nullInputStream(), nowhere(), nowhere(), false);

    private ClassArchiveTraining() {}

    private static PrintStream nowhere() {
        return new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Takes one argument, {@code client} or {@code server}. */
    public static void main(String[] args) throws Exception {
        Thread limit = new Thread(ClassArchiveTraining::endLate, "rehearsal-limit");
        limit.setDaemon(true);
        limit.start();
        if (args.length == 1 && args[0].equals("client")) {
            LogSettings.chooseForClient();
            QuickArrow.begin();
            rehearseCommands();
        } else if (args.length == 1 && args[0].equals("server")) {
            LogSettings.choose("log4j2-command.xml");
            run(List.of("--help"));
            run(List.of("--version"));
            rehearseServer();
        } else {
            throw new IllegalArgumentException("expected client or server, got " + List.of(args));
        }
        System.exit(0);
    }

    private static void rehearseCommands() throws IOException {
        Path rows = Files.createTempFile("rehearsal", ".csv");
        try (BufferAllocator allocator = new RootAllocator();
                RehearsedBroker broker = new RehearsedBroker();
                FlightServer server = FlightServer.builder(
                                allocator,
                                Location.forGrpcInsecure("127.0.0.1", 0),
                                new Answers(allocator, broker.bootstrap()))
                        .build()
                        .start()) {
            Files.writeString(rows, "t,a,d,s\n1633608000000,1,0.5,x\n1633608000001,2,1.5,y\n");
            String url = "grpc://127.0.0.1:" + server.getPort();
            try (RehearsedKeeper keeper = new RehearsedKeeper(url)) {
                for (List<String> command : commands(url, keeper.connect(), rows)) {
                    run(command);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nothing interrupts this thread", e);
        } finally {
            Files.deleteIfExists(rows);
        }
    }

    private static List<List<String>> commands(String url, String keeper, Path rows) {
        return List.of(
                List.of("query", "--help"),
                List.of("stream", "list", "--server", url),
                List.of("status", "--server", url),
                List.of("query", "s", "--server", url),
                List.of("query", "s", "--server", url, "--count"),
                List.of("query", "s", "--zookeeper", keeper, "--count"),
                List.of("query", "s", "--server", url, "--where", "a > 1", "--format", "csv"),
                List.of("query", "s", "--server", url, "--agg", "avg(a)", "--format", "json"),
                List.of("sql", "SELECT * FROM s", "--server", url),
                List.of("append", "s", rows.toString(), "--server", url, "--no-wait", "--timeout", "20"));
    }

    private static void run(List<String> command) {
        String[] args = command.toArray(String[]::new);
        ServerOption.foresee(args);
        int code = Main.run(args, NOWHERE);
        ServerOption.forget();
        if (code != 0) {
            throw new IllegalStateException(command + " ended with " + code);
        }
    }

    /** Not for ever: without all of a server's classes an archive is good too. */
    private static void rehearseServer() throws InterruptedException {
        Thread rehearsal = new Thread(
                () -> {
                    try {
                        ServerRehearsal.run();
                    } catch (IOException | RuntimeException e) {
                        // Made here: which log it is has been chosen by now.
                        LoggerFactory.getLogger(ClassArchiveTraining.class)
                                .warn("the archive of classes has not all of a server's: it did not run", e);
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

    /** No streams, any stream where one is named, and one row of the usual types to any query. */
    private static final class Answers extends NoOpFlightProducer {
        private static final String DESCRIBE = AdminCall.of(
                        DescribeStreamRequest.getDefaultInstance(), StreamDescription.getDefaultInstance())
                .name();

        /** Rows are appended as tuple blocks, by the way of most files. */
        private static final String STREAM = """
                name: s
                format: csv
                fields:
                  - {name: t, type: timestamp}
                  - {name: a, type: long}
                  - {name: d, type: double}
                  - {name: s, type: string}
                key: {field: a}
                time: t
                records: {blocks: true}
                """;

        private final BufferAllocator allocator;
        private final String bootstrap;

        Answers(BufferAllocator allocator, String bootstrap) {
            this.allocator = allocator;
            this.bootstrap = bootstrap;
        }

        @Override
        public void doAction(CallContext context, Action action, StreamListener<Result> listener) {
            listener.onNext(new Result(reply(action.getType()).toByteArray()));
            listener.onCompleted();
        }

        private Message reply(String call) {
            if (call.equals("status")) {
                return StatusReply.newBuilder().setJson("{\"streams\":[]}").build();
            } else if (call.equals(DESCRIBE)) {
                return StreamDescription.newBuilder()
                        .setId(1)
                        .setDefinitionJson(SchemaJson.writeStream(SchemaFile.read("s.yaml", STREAM)))
                        .setBootstrapServers(bootstrap)
                        .build();
            }
            return ListStreamsReply.getDefaultInstance();
        }

        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            Schema schema = new Schema(List.of(
                    Field.nullable("a", Types.MinorType.BIGINT.getType()),
                    Field.nullable("d", Types.MinorType.FLOAT8.getType()),
                    Field.nullable("s", Types.MinorType.VARCHAR.getType()),
                    Field.nullable(
                            "t", new ArrowType.Timestamp(org.apache.arrow.vector.types.TimeUnit.MILLISECOND, "UTC"))));
            try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator)) {
                root.allocateNew();
                ((BigIntVector) root.getVector(0)).set(0, 1);
                ((Float8Vector) root.getVector(1)).set(0, 0.5);
                ((VarCharVector) root.getVector(2)).set(0, new byte[] {'x'});
                ((TimeStampMilliTZVector) root.getVector(3)).set(0, 0);
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
