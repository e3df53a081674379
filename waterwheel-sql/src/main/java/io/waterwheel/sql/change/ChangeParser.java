package io.waterwheel.sql.change;

import io.waterwheel.error.NearestName;
import io.waterwheel.error.WaterwheelException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads statements that change something. Pure functions. */
public final class ChangeParser {
    /** What {@code ALTER STREAM} sets. */
    private static final List<String> CHANGEABLE =
            List.of("balancing", "dead-letters", "indexers", "log-loss", "retention");

    /** What the query of an INSERT begins with. */
    private static final List<String> QUERIES = List.of("SELECT", "WITH", "VALUES", "TABLE", "(");

    private ChangeParser() {}

    /**
     * What a statement changes; null when it is none of these.
     *
     * @throws WaterwheelException code BAD_SQL when it cannot be read; the message names the place
     */
    public static @Nullable Change of(String statement) {
        Words words = new Words(statement);
        if (words.takes("INSERT")) {
            words.require("INTO");
            return insert(words);
        } else if (words.takes("CREATE")) {
            words.require("STREAM");
            return CreateReader.read(words);
        } else if (words.takes("DROP")) {
            words.require("STREAM");
            boolean ifExists = words.takes("IF");
            if (ifExists) {
                words.require("EXISTS");
            }
            String stream = stream(words);
            words.requireEnd();
            return new Change.Drop(stream, ifExists);
        } else if (words.takes("ALTER")) {
            words.require("STREAM");
            return alter(words);
        }
        return null;
    }

    /** The name of a stream, with or without the schema that drivers write before it. */
    static String stream(Words words) {
        String name = words.name("a stream");
        String last = name;
        if (name.equalsIgnoreCase("waterwheel") && words.takes(".")) {
            last = words.name("a schema");
            if (!last.equalsIgnoreCase("public")) {
                throw words.expected("a stream, waterwheel.public.NAME, before this");
            }
        }
        return last.equalsIgnoreCase("public") && words.takes(".") ? words.name("a stream") : last;
    }

    private static Change insert(Words words) {
        String stream = stream(words);
        List<String> columns = new ArrayList<>();
        if (words.next().is("(") && !isQuery(words)) {
            words.take();
            do {
                if (columns.contains(words.next().text())) {
                    throw words.wrong("column " + words.next().text() + " is named twice");
                }
                columns.add(words.name("a column"));
            } while (words.takes(","));
            words.require(")");
        }
        if (QUERIES.stream().noneMatch(words.next()::is)) {
            throw words.expected("VALUES or a query");
        }
        return new Change.Insert(stream, columns, words.rest());
    }

    /** Whether what the next parenthesis begins is a query. */
    private static boolean isQuery(Words words) {
        Words ahead = new Words(words.rest());
        ahead.take();
        // A column may be called TABLE.
        return !ahead.next().is("TABLE") && QUERIES.stream().anyMatch(ahead.next()::is);
    }

    private static Change alter(Words words) {
        String stream = stream(words);
        words.require("SET");
        boolean closed = words.takes("(");
        Map<String, String> options = options(words, CHANGEABLE);
        if (closed) {
            words.require(")");
        }
        words.requireEnd();
        return new Change.Alter(stream, options);
    }

    /** {@code name = value, ...}; a name may have underscores in place of hyphens. */
    static Map<String, String> options(Words words, List<String> known) {
        Map<String, String> options = new LinkedHashMap<>();
        do {
            Words.Word written = words.next();
            if (written.kind() != Words.Kind.NAME && written.kind() != Words.Kind.QUOTED) {
                throw words.expected("the name of an option, one of " + String.join(", ", known));
            }
            String name = Words.lower(written.text()).replace('_', '-');
            if (!known.contains(name)) {
                throw words.wrong("there is no option '" + written.text() + "' here; did you mean '"
                        + NearestName.of(name, known).replace('-', '_') + "'?");
            }
            if (options.containsKey(name)) {
                throw words.wrong("option " + written.text() + " is there twice");
            }
            words.take();
            words.require("=");
            options.put(name, words.value("the value of " + written.text()));
        } while (words.takes(","));
        return options;
    }
}
