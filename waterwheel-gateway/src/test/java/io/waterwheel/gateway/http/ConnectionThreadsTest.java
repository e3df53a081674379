package io.waterwheel.gateway.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.TryExecutor;
import org.junit.jupiter.api.Test;

final class ConnectionThreadsTest {
    private final List<String> done = new ArrayList<>();
    private final List<Runnable> elsewhere = new ArrayList<>();
    private final TryExecutor others = elsewhere::add;
    private final ConnectionThreads threads = new ConnectionThreads(others, Long.MAX_VALUE);

    @Test
    void connectionsAreLookedAfterBehindTheAnswersOfTheirRound() {
        threads.round(() -> {
            threads.execute(() -> done.add("look 1"));
            done.add("answer 1");
            threads.execute(() -> {
                done.add("look 2");
                // Its next request was answered at once.
                threads.round(() -> threads.execute(() -> done.add("look 3")));
                done.add("end of look 2");
            });
            done.add("answer 2");
        });
        assertThat(done).containsExactly("answer 1", "answer 2", "look 1", "look 2", "end of look 2", "look 3");
        assertThat(elsewhere).isEmpty();
    }

    @Test
    void manyAreAnsweredInSeveralRounds() {
        List<Runnable> answers = new ArrayList<>();
        for (int r = 0; r < 20; r++) {
            int request = r;
            answers.add(() -> {
                done.add("answer " + request);
                threads.execute(() -> done.add("look " + request));
            });
        }
        ConnectionThreads.answerAll(threads.inRounds(Runnable::run), answers);
        assertThat(done).hasSize(40);
        assertThat(done.subList(0, 8)).allMatch(what -> what.startsWith("answer"));
        assertThat(done.subList(8, 16)).allMatch(what -> what.startsWith("look"));
        assertThat(done.subList(36, 40)).containsExactly("look 16", "look 17", "look 18", "look 19");
    }

    @Test
    void ofOneConnectionARoundHandlesOneShortRequest() {
        threads.round(() -> {
            for (int c = 0; c < 2; c++) {
                int connection = c;
                threads.execute(() -> {
                    threads.handle(10, () -> done.add("first of " + connection));
                    threads.handle(10, () -> done.add("second of " + connection));
                });
            }
            threads.execute(() -> threads.handle(1 << 20, () -> done.add("long")));
        });
        assertThat(done).containsExactly("first of 0", "first of 1");
        elsewhere.forEach(Runnable::run);
        assertThat(done).containsExactly("first of 0", "first of 1", "second of 0", "second of 1", "long");
    }

    @Test
    void looksThatTakeLongAreLeftToOthers() {
        ConnectionThreads hasty = new ConnectionThreads(others, 0);
        hasty.round(() -> {
            hasty.execute(() -> done.add("look"));
            done.add("answer");
        });
        assertThat(done).containsExactly("answer");
        elsewhere.forEach(Runnable::run);
        assertThat(done).containsExactly("answer", "look");
    }

    @Test
    void outsideOfARoundTheyAreForOtherThreads() {
        threads.execute(() -> done.add("look"));
        threads.inRounds(Runnable::run).execute(() -> done.add("answer"));
        threads.execute(() -> done.add("look"));
        assertThat(done).containsExactly("answer");
        assertThat(elsewhere).hasSize(2);
    }

    @Test
    void whatFailsLeavesOutNoConnection() {
        assertThatThrownBy(() -> threads.round(() -> {
                    threads.execute(() -> {
                        throw new IllegalStateException("a look that fails");
                    });
                    threads.execute(() -> done.add("look"));
                    throw new IllegalArgumentException("an answer that fails");
                }))
                .hasMessage("an answer that fails");
        assertThat(done).containsExactly("look");
        threads.execute(() -> done.add("look"));
        assertThat(elsewhere).hasSize(1);
    }

    /** As Jetty looks after them: eight clients, whose next requests are there when the round has sent its answers. */
    @Test
    void theThreadThatAnswersHandlesTheNextRequests() throws Exception {
        QueuedThreadPool pool = new QueuedThreadPool(8, 4);
        ConnectionThreads connections = new ConnectionThreads(pool, Long.MAX_VALUE);
        Server server = new Server(pool);
        ServerConnector connector = connections.connector(server, new HttpConfiguration());
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        BlockingQueue<Callback> unanswered = new LinkedBlockingQueue<>();
        BlockingQueue<Thread> handled = new LinkedBlockingQueue<>();
        server.setHandler(new Handler.Abstract.NonBlocking() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                if (Request.getPathInContext(request).equals("/first")) {
                    unanswered.add(callback);
                } else {
                    handled.add(Thread.currentThread());
                    callback.succeeded();
                }
                return true;
            }
        });
        server.start();
        List<Socket> clients = new ArrayList<>();
        try {
            List<Callback> first = new ArrayList<>();
            for (int c = 0; c < 8; c++) {
                clients.add(new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort()));
                ask(clients.get(c), "/first");
                first.add(Objects.requireNonNull(unanswered.poll(1, TimeUnit.MINUTES)));
            }
            connections.round(() -> {
                first.forEach(Callback::succeeded);
                clients.forEach(client -> ask(client, "/second"));
            });
            List<Thread> threads = new ArrayList<>();
            for (int c = 0; c < 8; c++) {
                threads.add(Objects.requireNonNull(handled.poll(1, TimeUnit.MINUTES)));
            }
            // A busy machine may bring a request later, for another thread.
            assertThat(threads).contains(Thread.currentThread());
        } finally {
            for (Socket client : clients) {
                client.close();
            }
            server.stop();
        }
    }

    private static void ask(Socket client, String path) {
        try {
            client.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
