package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/**
 * As much of {@code curl} as the pages use: -G, -H, -i, -N, -X, -d, --data-urlencode, --data-binary, --max-time and one
 * URL.
 */
final class Curl {
    private Curl() {}

    /**
     * Does what a command says, whose words follow its name, and returns what it would print.
     *
     * @param enough of an answer that does not end by itself: until it is so, at most for a minute, more is read
     */
    static String run(List<String> words, String printed, String real, Predicate<String> enough)
            throws IOException, InterruptedException {
        String url = "";
        String method = "";
        boolean get = false;
        boolean head = false;
        int seconds = 0;
        List<String> headers = new ArrayList<>();
        List<byte[]> data = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            switch (words.get(i)) {
                case "-G" -> get = true;
                case "-i" -> head = true;
                case "-N" -> {}
                case "--max-time" -> seconds = Integer.parseInt(words.get(++i));
                case "-X" -> method = words.get(++i);
                case "-H" -> {
                    String[] header = words.get(++i).split(": *", 2);
                    headers.addAll(List.of(header));
                }
                case "-d", "--data-binary" -> {
                    String word = words.get(++i);
                    data.add(
                            word.startsWith("@")
                                    ? Files.readAllBytes(Path.of(word.substring(1)))
                                    : word.getBytes(UTF_8));
                }
                case "--data-urlencode" -> {
                    String[] pair = words.get(++i).split("=", 2);
                    data.add((pair[0] + "=" + URLEncoder.encode(pair[1], UTF_8)).getBytes(UTF_8));
                }
                default -> {
                    assertThat(words.get(i)).as("the one word without option").startsWith(printed);
                    url = real + words.get(i).substring(printed.length());
                }
            }
        }
        byte[] body = joined(data);
        if (get && body.length > 0) {
            url += (url.contains("?") ? "&" : "?") + new String(body, UTF_8);
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        boolean posts = !get && !data.isEmpty();
        if (posts && headers.stream().noneMatch("Content-Type"::equalsIgnoreCase)) {
            headers.addAll(List.of("Content-Type", "application/x-www-form-urlencoded"));
        }
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        request.method(
                method.isEmpty() ? (posts ? "POST" : "GET") : method,
                posts ? HttpRequest.BodyPublishers.ofByteArray(body) : HttpRequest.BodyPublishers.noBody());
        if (seconds > 0) {
            return endless(request.build(), enough);
        }
        HttpResponse<String> response = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
        StringBuilder answer = new StringBuilder();
        if (head) {
            answer.append("HTTP/1.1 ").append(response.statusCode()).append(" and a reason\n");
            response.headers()
                    .map()
                    .forEach((name, values) -> values.forEach(value ->
                            answer.append(name).append(": ").append(value).append('\n')));
            answer.append('\n');
        }
        return answer.append(response.body()).toString();
    }

    /** What comes of an answer until it is enough, whatever time the command gives it: machines are busy. */
    private static String endless(HttpRequest request, Predicate<String> enough)
            throws IOException, InterruptedException {
        List<String> came = new CopyOnWriteArrayList<>();
        HttpResponse<java.util.stream.Stream<String>> response = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(request, HttpResponse.BodyHandlers.ofLines());
        Thread reader = new Thread(() -> {
            try {
                response.body().forEach(came::add);
            } catch (java.io.UncheckedIOException e) {
                came.add(""); // it was closed below
            }
        });
        reader.setDaemon(true);
        reader.start();
        // What has not come says so where the answer is compared.
        boolean unused =
                Waiting.holds(Duration.ofMinutes(5), () -> !reader.isAlive() || enough.test(String.join("\n", came)));
        response.body().close();
        return String.join("\n", came);
    }

    /** As {@code curl} joins what several options say. */
    private static byte[] joined(List<byte[]> data) throws IOException {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (byte[] one : data) {
            if (all.size() > 0) {
                all.write('&');
            }
            all.write(one);
        }
        return all.toByteArray();
    }
}
