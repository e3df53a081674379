package io.waterwheel.schema;

import io.waterwheel.schema.Document.Node;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The members of one object of a definition. What is missing or unfit becomes an error of the document. */
final class Members {
    private final Document document;
    private final String what;
    private final Set<String> expected;
    private final int line;
    private final Map<String, Node> nodes;

    private Members(Document document, String what, Set<String> expected, int line, Map<String, Node> nodes) {
        this.document = document;
        this.what = what;
        this.expected = expected;
        this.line = line;
        this.nodes = nodes;
    }

    /**
     * The members of a node; none, and an error, when it is no object.
     *
     * @param what it is called in messages
     * @param expected names; others are errors
     */
    static Members of(Document document, Node node, String what, Set<String> expected) {
        if (node.members() == null) {
            document.error(node.line(), what + ": expected an object, got " + node.describe());
            return new Members(document, what, expected, node.line(), Map.of());
        }
        for (Map.Entry<String, Node> member : node.members().entrySet()) {
            if (!expected.contains(member.getKey())) {
                document.error(
                        member.getValue().line(),
                        "unknown member '" + member.getKey() + "' of " + what + ": expected "
                                + expected.stream().sorted().toList());
            }
        }
        return new Members(document, what, expected, node.line(), node.members());
    }

    /** The same members under another name for messages. */
    Members as(String other) {
        return new Members(document, other, expected, line, nodes);
    }

    /** The members of a node below this one. */
    Members of(Node node, String called, Set<String> names) {
        return of(document, node, called, names);
    }

    boolean has(String name) {
        return nodes.containsKey(name);
    }

    @Nullable
    Node get(String name) {
        return nodes.get(name);
    }

    /** Names of the members that were expected. */
    Set<String> known() {
        return nodes.keySet().stream().filter(expected::contains).collect(Collectors.toSet());
    }

    /** The line of a member; that of the object when it has no such member. */
    int line(String name) {
        Node node = nodes.get(name);
        return node == null ? line : node.line();
    }

    /** Reports an error at a member's line. */
    void error(String name, String message) {
        document.error(line(name), message);
    }

    /** The member's own members; null when it is missing, which is not reported. */
    @Nullable
    Members object(String name, String called, Set<String> names) {
        Node node = nodes.get(name);
        return node == null ? null : of(document, node, called, names);
    }

    /** The member's text; empty, and an error, when it has none. */
    String text(String name) {
        Node node = nodes.get(name);
        if (node == null) {
            document.error(line, name + " of " + what + " is missing");
            return "";
        }
        if (node.scalar() == null || node.scalar().isEmpty()) {
            document.error(node.line(), name + " of " + what + ": expected a value, got " + node.describe());
            return "";
        }
        return node.scalar();
    }

    /** Whether the member is there and says true. */
    boolean flag(String name) {
        if (!has(name)) {
            return false;
        }
        String text = text(name);
        if (!text.isEmpty() && !text.equals("true") && !text.equals("false")) {
            error(name, name + ": expected true or false, got '" + text + "'");
        }
        return text.equals("true");
    }
}
