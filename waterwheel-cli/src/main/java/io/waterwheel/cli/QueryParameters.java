package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.query.Query;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;

/**
 * A query in the options of {@code waterwheel query}, for other doors than the command line: the same names, forms and
 * messages, without dashes. Stateless, thread-safe.
 */
public final class QueryParameters {
    /** Options that say where to ask or how to print, and one that reads a file of the machine that parses it. */
    private static final Set<String> OTHERS = Set.of(
            "server", "zookeeper", "namespace", "at-file", "stats", "explain", "analyze", "format", "help", "version");

    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    private static final Terminal NO_TERMINAL = new Terminal(InputStream.nullInputStream(), NOWHERE, NOWHERE, false);

    private static final Pattern DASHED = Pattern.compile("(?<![\\w-])--([a-z][a-z-]+)");

    /** More than are read at once on most machines. */
    private static final int KEPT = 8;

    /** A parser keeps the texts of its last query: after longer ones it is forgotten. */
    private static final int KEPT_LETTERS = 16 << 10;

    /** To read one is quick, to make what reads it is not: that looks at the annotations of all options. */
    private static final BlockingQueue<Parser> IDLE = new ArrayBlockingQueue<>(KEPT);

    /** One query at a time, any number behind each other: the options are set anew for each. */
    record Parser(QueryCommand query, CommandLine command) {
        static Parser make() {
            QueryCommand query = new QueryCommand(NO_TERMINAL);
            return new Parser(query, QueryParameters.command(query));
        }

        Query parse(List<String> args) {
            command.parseArgs(args.toArray(String[]::new));
            return query.query();
        }
    }

    static {
        // It would write to this process's standard error what it thinks of a value's quotes, which anybody may send.
        CommandLine.tracer().setLevel(CommandLine.TraceLevel.OFF);
    }

    private QueryParameters() {}

    /** An option that cannot be read, or does not go with another. */
    public static final class BadOption extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        /** Without dashes; null where it is about several. */
        private final @Nullable String option;

        BadOption(@Nullable String option, String message, @Nullable Throwable cause) {
            super(message, cause);
            this.option = option;
        }

        /** The option's name without dashes; null where the fault is that of several. */
        public @Nullable String option() {
            return option;
        }
    }

    /** The names of the options, without dashes, in alphabetical order. */
    public static Set<String> options() {
        return options(command(new QueryCommand(NO_TERMINAL)));
    }

    private static Set<String> options(CommandLine command) {
        Set<String> names = new TreeSet<>();
        for (OptionSpec option : command.getCommandSpec().options()) {
            String name = option.longestName().substring(2);
            if (!OTHERS.contains(name)) {
                names.add(name);
            }
        }
        return names;
    }

    /**
     * Reads a query.
     *
     * @param options by name without dashes, the values given, in order; of an option that takes none {@code true}, or
     *     {@code false} for not given, or an empty text
     * @throws BadOption naming the option that is unknown or whose value is none
     */
    public static Query parse(String stream, Map<String, List<String>> options) {
        Parser idle = IDLE.poll();
        Parser parser = idle == null ? Parser.make() : idle;
        Query query = parse(parser, stream, options);
        // Of one that failed it is not known what it left behind.
        boolean unusedKept = isShort(options) && IDLE.offer(parser);
        return query;
    }

    private static boolean isShort(Map<String, List<String>> options) {
        long letters = 0;
        for (List<String> values : options.values()) {
            for (String value : values) {
                letters += value.length() + 50;
            }
        }
        return letters <= KEPT_LETTERS;
    }

    static Query parse(Parser parser, String stream, Map<String, List<String>> options) {
        List<String> args = new ArrayList<>();
        options.forEach((name, values) -> {
            OptionSpec option = OTHERS.contains(name)
                    ? null
                    : parser.command().getCommandSpec().findOption("--" + name);
            if (option == null) {
                throw new BadOption(
                        name, "there is no option '" + name + "'; there are " + options(parser.command()), null);
            }
            for (String value : values) {
                add(args, name, value, option);
            }
        });
        args.add("--");
        args.add(stream);
        try {
            return parser.parse(args);
        } catch (ParameterException e) {
            ArgSpec about = e instanceof OverwrittenOptionException twice ? twice.getOverwritten() : e.getArgSpec();
            String name =
                    about instanceof OptionSpec option ? option.longestName().substring(2) : null;
            throw new BadOption(name, undashed(parser, Cli.reworded(String.valueOf(e.getMessage()))), e);
        } catch (IllegalArgumentException e) {
            throw new BadOption(null, undashed(parser, String.valueOf(e.getMessage())), e);
        }
    }

    /** The names of options as they are given here. */
    private static String undashed(Parser parser, String message) {
        return DASHED.matcher(message)
                .replaceAll(found -> parser.command().getCommandSpec().findOption(found.group()) == null
                        ? found.group()
                        : found.group(1));
    }

    private static void add(List<String> args, String name, String value, OptionSpec option) {
        if (option.arity().max() > 0) {
            args.add("--" + name + "=" + value);
        } else if (value.isEmpty() || value.equals("true")) {
            args.add("--" + name);
        } else if (!value.equals("false")) {
            throw new BadOption(name, "option '" + name + "': expected true or false, got '" + value + "'", null);
        }
    }

    private static CommandLine command(QueryCommand query) {
        return new CommandLine(query)
                .setCaseInsensitiveEnumValuesAllowed(true)
                // What comes from elsewhere names no files of this machine.
                .setExpandAtFiles(false)
                .setInterpolateVariables(false)
                .setTrimQuotes(false);
    }
}
