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
            List.of("balancing", "dead-letters", "indexed-records", "indexers", "log-loss", "retention");

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
            boolean replace = words.takes("OR");
            if (replace) {
                words.require("REPLACE");
            }
            if (words.takes("TABLE")) {
                return table(words, replace);
            } else if (replace || words.next().is("VIEW")) {
                words.require("VIEW");
                return view(words, replace);
            }
            requireKind(words);
            return CreateReader.read(words);
        } else if (words.takes("DROP")) {
            return drop(words);
        } else if (words.takes("ALTER")) {
            words.require("STREAM");
            return alter(words);
        }
        return null;
    }

    private static Change drop(Words words) {
        boolean view = words.takes("VIEW");
        boolean table = !view && words.takes("TABLE");
        if (!view && !table) {
            requireKind(words);
        }
        boolean ifExists = words.takes("IF");
        if (ifExists) {
            words.require("EXISTS");
        }
        String name = view ? name(words, "a view") : table ? name(words, "a table") : stream(words);
        words.requireEnd();
        if (view) {
            return new Change.DropView(name, ifExists);
        }
        return table ? new Change.DropTable(name, ifExists) : new Change.Drop(name, ifExists);
    }

    private static Change table(Words words, boolean replace) {
        boolean ifNotExists = !replace && words.takes("IF");
        if (ifNotExists) {
            words.require("NOT");
            words.require("EXISTS");
        }
        String name = name(words, "a table");
        if (!words.takes("FROM")) {
            throw words.expected("FROM 'FILE'; a stream is made by CREATE STREAM, before this");
        }
        String file = words.text("the path of a file in quotes");
        words.requireEnd();
        return new Change.CreateTable(name, replace, ifNotExists, file);
    }

    private static void requireKind(Words words) {
        if (!words.takes("STREAM")) {
            throw words.expected("STREAM, VIEW or TABLE");
        }
    }

    private static Change view(Words words, boolean replace) {
        String name = name(words, "a view");
        List<String> columns = words.takes("(") ? columns(words) : List.of();
        words.require("AS");
        if (QUERIES.stream().noneMatch(words.next()::is)) {
            throw words.expected("a query");
        }
        return new Change.CreateView(name, replace, columns, words.rest());
    }

    /** Names of columns, up to the parenthesis behind them. */
    private static List<String> columns(Words words) {
        List<String> columns = new ArrayList<>();
        do {
            if (columns.contains(words.next().text())) {
                throw words.wrong("column " + words.next().text() + " is named twice");
            }
            columns.add(words.name("a column"));
        } while (words.takes(","));
        words.require(")");
        return columns;
    }

    /** The name of a stream, with or without the schema that drivers write before it. */
    static String stream(Words words) {
        return name(words, "a stream");
    }

    /** @param of what is named, such as "a stream" */
    private static String name(Words words, String of) {
        String name = words.name(of);
        String last = name;
        if (name.equalsIgnoreCase("waterwheel") && words.takes(".")) {
            last = words.name("a schema");
            if (!last.equalsIgnoreCase("public")) {
                throw words.expected(of + ", waterwheel.public.NAME, before this");
            }
        }
        return last.equalsIgnoreCase("public") && words.takes(".") ? words.name(of) : last;
    }

    private static Change insert(Words words) {
        String stream = stream(words);
        List<String> columns = List.of();
        if (words.next().is("(") && !isQuery(words)) {
            words.take();
            columns = columns(words);
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
                String near = NearestName.question(name, known).replace('-', '_');
                throw words.wrong("there is no option '" + written.text() + "' here"
                        + (near.isEmpty()
                                ? "; expected one of "
                                        + String.join(", ", known).replace('-', '_')
                                : near));
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
