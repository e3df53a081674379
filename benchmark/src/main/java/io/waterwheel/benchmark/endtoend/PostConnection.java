package io.waterwheel.benchmark.endtoend;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A connection to a gateway on which one post follows the other, with as little work as can be. One thread. */
final class PostConnection implements AutoCloseable {
    private final Socket socket;
    private final OutputStream out;
    private final InputStream in;

    PostConnection(URI gateway) throws IOException {
        socket = new Socket(gateway.getHost(), gateway.getPort());
        socket.setTcpNoDelay(true);
        out = socket.getOutputStream();
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** A whole request with rows as CSV, of ASCII. */
    static byte[] request(String target, @Nullable String key, CharSequence rows) {
        return ("POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv; header=absent\r\n"
                        + (key == null ? "" : "Idempotency-Key: " + key + "\r\n")
                        + "Content-Length: " + rows.length() + "\r\n\r\n" + rows)
                .getBytes(US_ASCII);
    }

    /**
     * Sends a request, and waits for its answer.
     *
     * @throws IOException where that is not that the rows are stored, or are visible where that was asked for
     */
    void post(byte[] request) throws IOException {
        String answer = ask(request);
        if (!answer.startsWith("HTTP/1.1 200") || answer.contains("\"visible\":false")) {
            throw new IOException(answer);
        }
    }

    /** The status line and the body of the answer, whatever they say. */
    String ask(byte[] request) throws IOException {
        out.write(request);
        String status = line();
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(header.substring(15).strip());
            }
        }
        return status + " " + new String(in.readNBytes(length), US_ASCII);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new IOException("the gateway ended the connection");
            }
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
