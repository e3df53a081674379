package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What people get wrong, as a table: {@code wrong-inputs.txt} has each command with its exit code and every line that
 * it says. Standard output stays empty, and the server goes on answering.
 */
@Tag("embedded")
final class WrongInputTest {
    private static final int WIDE_ROWS = 20_000;
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    private static final String TABLE = "/io/waterwheel/embedded/wrong-inputs.txt";

    @TempDir
    static Path folder;

    private static final Map<String, String> NAMES = new TreeMap<>();
    private static RunningServer server;
    private static ServerSocket taken;

    /**
     * A row of the table.
     *
     * @param command its words, with names in braces
     * @param input standard input
     * @param said the lines of standard error; {@code {*}} is anything
     */
    record Wrong(String command, String input, int code, List<String> said) {
        @Override
        public String toString() {
            return command;
        }
    }

    @BeforeAll
    static void start() throws Exception {
        taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        WaterwheelConfig config = WaterwheelConfig.parse(
                "test", "", List.of("query.memory=32 MiB", "query.client-patience=1 s", "indexer.seal-size=1 MiB"));
        server = QuickServer.start(folder.resolve("data"), ServerCommand.fitted(config, 0), Set.of());
        NAMES.put("{url}", server.url());
        NAMES.put("{address}", server.url().substring("grpc://".length()));
        NAMES.put("{folder}", folder.toString());
        NAMES.put("{pid}", Long.toString(ProcessHandle.current().pid()));
        NAMES.put("{port}", Integer.toString(taken.getLocalPort()));
        makeFiles();
        assertThat(run("stream create {folder}/places.yaml --server {url}", "").code())
                .isZero();
        assertThat(run("stream create {folder}/orders.yaml --server {url}", "").code())
                .isZero();
        assertThat(run("stream create {folder}/sensors.yaml --server {url}", "").code())
                .isZero();
        Files.writeString(
                folder.resolve("spare.yaml"),
                Files.readString(folder.resolve("orders.yaml")).replace("orders", "spare"));
        assertThat(run("stream create {folder}/spare.yaml --server {url}", "").code())
                .isZero();
        assertThat(run("append orders - --server {url}", "at,customer,note\n1633608000000,7,a\n1633608001000,8,b\n")
                        .code())
                .isZero();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
        taken.close();
    }

    /** The files of the table, and some that text cannot show. */
    private static void makeFiles() throws Exception {
        String name = "";
        for (String line : table()) {
            if (line.startsWith("@ ")) {
                name = line.substring(2);
                Files.writeString(folder.resolve(name), "");
            } else if (!name.isEmpty() && line.startsWith("| ")) {
                Files.writeString(
                        folder.resolve(name), Files.readString(folder.resolve(name)) + line.substring(2) + "\n");
            }
        }
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write("at,customer,note\n".getBytes(UTF_8));
            for (int i = 0; i < 20_000; i++) {
                gzip.write((i + "," + i * 31 + ",x\n").getBytes(UTF_8));
            }
        }
        Files.write(folder.resolve("cut.csv.gz"), Arrays.copyOf(packed.toByteArray(), packed.size() / 2));
        Files.write(folder.resolve("empty.csv"), new byte[0]);
        Files.writeString(folder.resolve("not.chunk"), "x".repeat(500));
        Files.writeString(folder.resolve("long.txt"), "x");
        Files.writeString(
                Files.createDirectories(folder.resolve("other-version")).resolve("version"), "99\n");
        Files.writeString(Files.createDirectories(folder.resolve("foreign")).resolve("thesis.doc"), "x");
    }

    private static List<String> table() throws IOException {
        try (InputStream in = WrongInputTest.class.getResourceAsStream(TABLE)) {
            return new String(in.readAllBytes(), UTF_8).lines().toList();
        }
    }

    @Test
    void aStreamThatIsRefusedMakesNoTopics() throws Exception {
        Path again = Files.writeString(
                folder.resolve("again.yaml"),
                Files.readString(folder.resolve("orders.yaml")) + "topic: only-of-the-refused\n");
        CliResult refused = run("stream create " + again + " --server {url}", "");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("stream orders exists already").contains("[STREAM_EXISTS]");
        try (WaterwheelClient client = WaterwheelClient.connect(server.url());
                Admin admin = Admin.create(Map.of(
                        AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                        client.describe("orders").topic().bootstrapServers()))) {
            assertThat(admin.listTopics().names().get())
                    .contains("orders")
                    .noneMatch(topic -> topic.contains("only-of-the-refused"));
        }
    }

    /** Sixteen megabytes is what one of these questions may take, and the stream has twenty. */
    @Test
    void questionsThatNeedTooMuchMemoryAreRefusedAndHarmNothing() throws Exception {
        Files.writeString(folder.resolve("wide.yaml"), """
                name: wide
                format: csv
                fields:
                  - {name: at, type: timestamp}
                  - {name: k, type: long}
                  - {name: s, type: string}
                key: {field: k}
                time: at
                """);
        assertThat(run("stream create {folder}/wide.yaml --server {url}", "").code())
                .isZero();
        StringBuilder csv = new StringBuilder("at,k,s\n");
        for (int row = 0; row < WIDE_ROWS; row++) {
            csv.append(1_633_608_000_000L + row).append(',').append(row * 7919 % WIDE_ROWS);
            csv.append(',').append(row).append("abcdefghij".repeat(100)).append('\n');
        }
        CliResult appended = run("append wide - --server {url}", csv.toString());
        assertThat(appended.code()).as(appended.err()).isZero();
        CliResult ordered = run("query wide --order-by s --format csv --server {url}", "");
        assertThat(ordered.code()).isEqualTo(1);
        assertThat(ordered.err()).contains("one query may take 16.0 MiB").contains("[QUERY_MEMORY]");
        CliResult repeated = run("query wide --select " + "s,".repeat(255) + "s --server {url}", "");
        assertThat(repeated.err()).contains("'s' is selected more than 4 times");
        String nested = "UPPER(".repeat(60) + "s" + ")".repeat(60);
        CliResult upper = run("query wide --where '" + nested + " IS NULL' --count --server {url}", "");
        assertThat(upper.out()).as(upper.err()).isEqualTo("0\n");
        List<Cursor> unread = new ArrayList<>();
        List<WaterwheelClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 12; i++) {
                WaterwheelClient client = WaterwheelClient.connect(server.url());
                clients.add(client);
                try {
                    unread.add(client.query(Query.of("wide").withTimeout(Duration.ofMinutes(5))));
                } catch (WaterwheelException e) {
                    // There are as many as take all the memory: who comes then is refused. On a busy machine the
                    // client may not get to its first rows in the second that the server waits.
                    assertThat(e.code()).isIn("QUERY_MEMORY", "CLIENT_SLOW");
                }
            }
            assertThat(unread).isNotEmpty();
            awaitOrder();
            // That there is room does not say that they have ended: those that were refused gave theirs back.
            WaterwheelClient asking = clients.get(0);
            Waiting.until("no answer is open", Duration.ofMinutes(5), () -> asking.queries()
                    .isEmpty());
            assertThatThrownBy(() -> {
                        Cursor cursor = unread.get(0);
                        while (cursor.next()) {
                            assertThat(cursor.getString("s")).isNotEmpty();
                        }
                    })
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                            .isIn("CLIENT_SLOW", "ANSWER_CUT_OFF", "QUERY_MEMORY"));
        } finally {
            unread.forEach(Cursor::close);
            clients.forEach(WaterwheelClient::close);
        }
        assertThat(run("query wide --count --server {url}", "").out()).isEqualTo(WIDE_ROWS + "\n");
    }

    /** Until there is room again for a question that takes most of what one may. */
    private static void awaitOrder() {
        List<CliResult> ran = new ArrayList<>();
        Waiting.until("the rows come in order", Duration.ofMinutes(5), () -> {
            ran.add(run("query wide --key 0..2999 --order-by s --format csv --server {url}", ""));
            return ran.get(ran.size() - 1).code() == 0;
        });
        assertThat(ran.get(ran.size() - 1).out().lines().count()).isEqualTo(3001);
    }

    static Stream<Wrong> rows() throws IOException {
        List<Wrong> rows = new ArrayList<>();
        String command = "";
        StringBuilder input = new StringBuilder();
        int code = 0;
        List<String> said = new ArrayList<>();
        List<String> lines = new ArrayList<>(table());
        lines.add("");
        for (String line : lines) {
            if (line.startsWith("$")) {
                command = line.substring(1).strip();
            } else if (line.startsWith("< ")) {
                input.append(line.substring(2)).append('\n');
            } else if (line.startsWith("= ")) {
                code = Integer.parseInt(line.substring(2));
            } else if (line.startsWith("> ")) {
                said.add(line.substring(2));
            } else if (line.isEmpty() && code != 0) {
                rows.add(new Wrong(command, input.toString(), code, List.copyOf(said)));
                input.setLength(0);
                said.clear();
                code = 0;
            }
        }
        return rows.stream();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void isSaidClearlyAndHarmsNothing(Wrong wrong) {
        CliResult ran = run(wrong.command(), wrong.input());
        assertThat(ran.err()).matches(pattern(wrong.said()));
        assertThat(ran.code()).as(ran.err()).isEqualTo(wrong.code());
        assertThat(ran.out()).isEmpty();
        assertThat(run("query orders --count --server {url}", "").out()).isEqualTo("2\n");
    }

    @Test
    void theTableIsLongEnough() throws IOException {
        assertThat(rows().count()).isGreaterThan(60);
        assertThat(rows().map(Wrong::toString)).doesNotHaveDuplicates();
    }

    private static Pattern pattern(List<String> said) {
        String text = said.stream().map(line -> named(line) + "\n").collect(Collectors.joining());
        return Pattern.compile(Arrays.stream(text.split(Pattern.quote("{*}"), -1))
                .map(Pattern::quote)
                .collect(Collectors.joining(".*")));
    }

    private static String named(String text) {
        String named = text;
        for (Map.Entry<String, String> name : NAMES.entrySet()) {
            named = named.replace(name.getKey(), name.getValue());
        }
        return named.replace("{long}", "x".repeat(300_000)).replace("{tab}", "\t");
    }

    private static CliResult run(String command, String input) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(command);
        while (matcher.find()) {
            words.add(named(matcher.group(1) == null ? matcher.group(2) : matcher.group(1)));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Main.run(
                words.toArray(String[]::new),
                new Terminal(
                        new ByteArrayInputStream(input.getBytes(UTF_8)),
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        false));
        return new CliResult(code, out.toString(UTF_8), err.toString(UTF_8));
    }

    /** Prints the table with what is said now: to be read, and corrected where it is not clear. */
    @SuppressWarnings("SystemOut") // for a person
    public static void main(String[] args) throws Exception {
        folder = Files.createTempDirectory("wrong-inputs-");
        start();
        Map<String, String> back = new TreeMap<>(NAMES);
        rows().forEach(wrong -> {
            CliResult ran = run(wrong.command(), wrong.input());
            System.out.println("$ " + wrong.command());
            wrong.input().lines().forEach(line -> System.out.println("< " + line));
            System.out.println("= " + ran.code() + (ran.out().isEmpty() ? "" : " OUT: " + ran.out()));
            String err = ran.err();
            for (Map.Entry<String, String> name : back.entrySet()) {
                err = err.replace(name.getValue(), name.getKey());
            }
            err.lines().forEach(line -> System.out.println("> " + line));
            System.out.println();
        });
        stop();
        System.exit(0);
    }
}
