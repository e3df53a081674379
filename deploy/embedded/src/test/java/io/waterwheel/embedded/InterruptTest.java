package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl-C in each command: it ends at once, not with 0, and nothing that it printed looks whole. */
@Tag("embedded")
final class InterruptTest {
    /**
     * At once, from the signal on, on a machine that starts other processes too; how it ends shows that it did not end
     * by itself.
     */
    private static final int SECONDS = 60;

    /** Processes at a time. */
    private static final int AT_ONCE = 4;

    @TempDir
    Path folder;

    @Test
    void everyCommandEndsAtOnce() throws Exception {
        Path csv = Files.writeString(folder.resolve("f.csv"), "at,k\n1,2\n");
        Path yaml = Files.writeString(
                folder.resolve("f.yaml"),
                "name: s\nformat: csv\nfields:\n  - {name: at, type: timestamp}\nkey: {field: at}\ntime: at\n");
        List<String> commands = List.of(
                "query s",
                "query s --format csv",
                "append s " + csv,
                "stream list",
                "stream create " + yaml,
                "stream describe s",
                "stream drop s",
                "stream set s dead-letters=skip",
                "flush s",
                "verify s",
                "dead-letters s",
                "offsets show s",
                "offsets set s 0=1",
                "status --watch");
        String signal = CommandProcess.interrupt();
        for (int first = 0; first < commands.size(); first += AT_ONCE) {
            check(commands.subList(first, Math.min(commands.size(), first + AT_ONCE)), signal);
        }
    }

    private void check(List<String> commands, String signal) throws Exception {
        List<ServerSocket> servers = new ArrayList<>();
        List<AtomicInteger> connected = new ArrayList<>();
        List<CommandProcess> running = new ArrayList<>();
        try {
            for (String command : commands) {
                // One for each: who connects twice does not stand for who has not begun.
                ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                servers.add(silent);
                AtomicInteger count = new AtomicInteger();
                connected.add(count);
                Thread taker = new Thread(() -> take(silent, count));
                taker.setDaemon(true);
                taker.start();
                List<String> words = new ArrayList<>(Arrays.asList(command.split(" ")));
                words.addAll(List.of("--server", "grpc://127.0.0.1:" + silent.getLocalPort()));
                running.add(CommandProcess.start(folder, words.toArray(String[]::new)));
            }
            Waiting.until(
                    "all of them wait for the server", () -> connected.stream().allMatch(count -> count.get() > 0));
            for (CommandProcess command : running) {
                command.signal(signal);
            }
            long signalled = System.nanoTime();
            for (int c = 0; c < commands.size(); c++) {
                CommandProcess command = running.get(c);
                String what = commands.get(c);
                long waited = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - signalled);
                assertThat(command.code(SECONDS - waited)).as(what).isEqualTo(signal.equals("INT") ? 130 : 143);
                assertThat(command.out()).as(what).isEmpty();
                assertThat(command.err())
                        .as(what)
                        .isEqualTo("waterwheel " + what.substring(0, what.indexOf(' '))
                                + ": interrupted before it was done\n");
            }
        } finally {
            for (CommandProcess command : running) {
                command.close();
            }
            for (ServerSocket silent : servers) {
                silent.close();
            }
        }
    }

    /** Takes connections and says nothing. */
    private static void take(ServerSocket silent, AtomicInteger connected) {
        List<Socket> kept = new ArrayList<>();
        try {
            while (true) {
                kept.add(silent.accept());
                connected.incrementAndGet();
            }
        } catch (IOException closed) {
            for (Socket socket : kept) {
                closeQuietly(socket);
            }
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            assertThat(socket.isClosed()).isTrue();
        }
    }
}
