package io.waterwheel.schema;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A small JSON or YAML document as a tree that knows its lines, and the list of everything that is wrong with it. */
final class Document {
    /** A value and the line it begins on. Exactly one of members, items and scalar is set; all are null for null. */
    record Node(
            int line,
            @Nullable Map<String, Node> members,
            @Nullable List<Node> items,
            @Nullable String scalar) {
        String describe() {
            return members != null
                    ? "an object"
                    : items != null ? "a list" : scalar != null ? "'" + scalar + "'" : "nothing";
        }
    }

    /** All cuts that a key may have are among them. */
    private static final int MAX_NODES = 10_000 + KeySpec.Dimensions.MAX_CUTS;

    private static final int MAX_DEPTH = 10;

    private final String source;
    private final List<String> errors = new ArrayList<>();
    private int nodes;

    /** @param source what the messages call the document: a file's name */
    Document(String source) {
        this.source = source;
    }

    void error(int line, String message) {
        errors.add("line " + line + ": " + message);
    }

    /** Throws one USER error that lists all that was found wrong, if anything was. */
    void check() {
        if (!errors.isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.SCHEMA_INVALID, source + ": " + String.join("\n" + source + ": ", errors));
        }
    }

    int errorCount() {
        return errors.size();
    }

    Node read(JsonParser parser) {
        try (parser) {
            if (parser.nextToken() == null) {
                error(1, "the document is empty");
            } else {
                Node root = node(parser, 0);
                if (errors.isEmpty() && parser.nextToken() != null) {
                    error(parser.currentTokenLocation().getLineNr(), "expected one document, got more behind it");
                }
                check();
                return root;
            }
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getLineNr());
            error(line, e.getOriginalMessage().strip());
        } catch (IOException e) {
            error(1, "cannot be read: " + e.getMessage());
        }
        check();
        throw new IllegalStateException("a document without root and without error");
    }

    private Node node(JsonParser parser, int depth) throws IOException {
        int line = Math.max(1, parser.currentTokenLocation().getLineNr());
        if (++nodes > MAX_NODES || depth > MAX_DEPTH) {
            error(line, "the document is too large: at most " + MAX_NODES + " values, " + MAX_DEPTH + " deep");
            check();
        }
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, Node> members = new LinkedHashMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                int at = parser.currentTokenLocation().getLineNr();
                parser.nextToken();
                if (members.put(name, node(parser, depth + 1)) != null) {
                    error(at, "'" + name + "' is there twice");
                }
            }
            return new Node(line, members, null, null);
        }
        if (token == JsonToken.START_ARRAY) {
            List<Node> items = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                items.add(node(parser, depth + 1));
            }
            return new Node(line, null, items, null);
        }
        return new Node(line, null, null, token == JsonToken.VALUE_NULL ? null : parser.getText());
    }
}
