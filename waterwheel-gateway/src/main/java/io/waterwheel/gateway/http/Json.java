package io.waterwheel.gateway.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Small JSON documents in memory. */
public final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** Writes values. */
    @FunctionalInterface
    public interface Writing {
        void write(JsonGenerator json) throws IOException;
    }

    /** What is written, in UTF-8. */
    public static byte[] bytes(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            writing.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException("a document in memory could not be written", e);
        }
        return bytes.toByteArray();
    }

    /** An object with these members, in UTF-8. */
    public static byte[] object(Writing members) {
        return bytes(json -> {
            json.writeStartObject();
            members.write(json);
            json.writeEndObject();
        });
    }
}
