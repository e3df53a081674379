package io.waterwheel.unpack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is made of an answer that is whole, too long, or never ends; the server says one text and then listens. */
@Timeout(60)
final class BoundedAnswerTest {
    private static final int MOST = 1_000;
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final String ENDLESS = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

    private final HttpClient client = HttpClient.newHttpClient();
    private final ServerSocket server;
    private final CompletableFuture<Boolean> closedByClient = new CompletableFuture<>();

    BoundedAnswerTest() throws IOException {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    /** Asks a server that says this, and no more. */
    private CompletableFuture<HttpResponse<byte[]>> ask(String says, Duration within) {
        Thread serving = new Thread(() -> {
            try (Socket socket = server.accept()) {
                InputStream in = socket.getInputStream();
                byte[] head = new byte[8_192];
                int read = in.read(head);
                socket.getOutputStream().write(says.getBytes(UTF_8));
                while (read >= 0) {
                    read = in.read(head);
                }
                closedByClient.complete(true);
            } catch (IOException e) {
                closedByClient.complete(true); // reset, which is closed too
            }
        });
        serving.setDaemon(true);
        serving.start();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.getLocalPort() + "/a?b=c"))
                .header("X-Own", "kept")
                .build();
        return BoundedAnswer.of(client, request, MOST, within);
    }

    private static String whole(int bytes) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + bytes + "\r\n\r\n" + "x".repeat(bytes);
    }

    @Test
    void aBodyOfTheMostBytesIsTaken() throws Exception {
        HttpResponse<byte[]> answer = ask(whole(MOST), LONG).get(50, TimeUnit.SECONDS);
        assertThat(answer.body()).hasSize(MOST);
        assertThat(answer.request().headers().firstValue("X-Own")).contains("kept");
        assertThat(answer.request().uri().getQuery()).isEqualTo("b=c");
    }

    @Test
    void aLongerOneIsRefusedBeforeItEnds() {
        assertThatThrownBy(() ->
                        ask(ENDLESS + "3e9\r\n" + "x".repeat(MOST + 1), LONG).get(50, TimeUnit.SECONDS))
                .rootCause()
                .isInstanceOf(AnswerTooLongException.class)
                .hasMessage("an answer of more than 1000 bytes");
        Waiting.until("the connection is closed", closedByClient::isDone);
    }

    @Test
    void oneThatDoesNotEndIsGivenUpWhetherItHasBegunOrNot() {
        assertThatThrownBy(() -> ask(ENDLESS + "1\r\nx\r\n", SHORT).get(50, TimeUnit.SECONDS))
                .rootCause()
                .isInstanceOf(HttpTimeoutException.class)
                .hasMessage("no answer within 200 ms");
        Waiting.until("the connection is closed", closedByClient::isDone);
        assertThatThrownBy(() -> ask("", SHORT).get(50, TimeUnit.SECONDS))
                .rootCause()
                .isInstanceOf(HttpTimeoutException.class)
                .hasMessage("no answer within 200 ms");
    }
}
