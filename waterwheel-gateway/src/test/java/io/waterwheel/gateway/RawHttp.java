package io.waterwheel.gateway;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** HTTP byte by byte: trailers, halves of requests, and what no client library sends. */
final class RawHttp implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket;
    private final InputStream in;

    private RawHttp(Socket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
        socket.setSoTimeout(PATIENCE_MILLIS);
    }

    /**
     * An answer.
     *
     * @param headers by name in lower case
     * @param whole whether it ended as it should: by its length, or by the last chunk
     */
    record Answer(int status, Map<String, String> headers, String body, Map<String, String> trailers, boolean whole) {}

    static RawHttp connect(Gateway gateway) throws IOException {
        URI at = URI.create(gateway.url());
        return new RawHttp(new Socket(InetAddress.getByName(at.getHost()), at.getPort()));
    }

    static Answer get(Gateway gateway, String target, String... headers) throws IOException {
        try (RawHttp http = connect(gateway)) {
            http.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n"
                    + String.join(
                            "",
                            java.util.Arrays.stream(headers)
                                    .map(h -> h + "\r\n")
                                    .toList()) + "\r\n");
            return http.answer();
        }
    }

    static Answer post(Gateway gateway, String target, String type, byte[] body, String... headers) throws IOException {
        try (RawHttp http = connect(gateway)) {
            http.send(
                    "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type + "\r\nContent-Length: "
                            + body.length + "\r\n"
                            + String.join(
                                    "",
                                    java.util.Arrays.stream(headers)
                                            .map(h -> h + "\r\n")
                                            .toList()) + "\r\n");
            try {
                http.socket.getOutputStream().write(body);
                http.socket.getOutputStream().flush();
            } catch (java.net.SocketException e) {
                // A body that is refused is not read to its end; the answer is there.
                System.err.println("the body was not taken: " + e.getMessage());
            }
            return http.answer();
        }
    }

    static Answer post(Gateway gateway, String target, String type, String body) throws IOException {
        return post(gateway, target, type, body.getBytes(StandardCharsets.UTF_8));
    }

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
    }

    /** Whether the server has closed the connection; waits for that or for a byte. */
    boolean closed() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException e) {
            return true;
        }
    }

    Answer answer() throws IOException {
        String[] status = line().split(" ", 3);
        Map<String, String> headers = fields();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        Map<String, String> trailers = Map.of();
        boolean whole = true;
        if ("chunked".equals(headers.get("transfer-encoding"))) {
            try {
                int length = Integer.parseInt(line().strip(), 16);
                while (length > 0) {
                    body.write(some(length));
                    line();
                    length = Integer.parseInt(line().strip(), 16);
                }
                trailers = fields();
            } catch (IOException e) {
                whole = false;
            }
        } else {
            body.write(some(Integer.parseInt(headers.getOrDefault("content-length", "0"))));
        }
        return new Answer(Integer.parseInt(status[1]), headers, body.toString(StandardCharsets.UTF_8), trailers, whole);
    }

    private byte[] some(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("the connection ended after " + bytes.length + " of " + length + " bytes");
        }
        return bytes;
    }

    private Map<String, String> fields() throws IOException {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            fields.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return fields;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the connection ended within a line: " + line);
            }
            if (c != '\r') {
                line.write(c);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
