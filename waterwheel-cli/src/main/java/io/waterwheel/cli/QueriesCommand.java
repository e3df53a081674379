package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.OpenQuery;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code waterwheel queries ...}: what the server is answering, and an end to it. */
@Command(
        name = "queries",
        description = "Show the queries that the server has open, and end one.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example:", "  waterwheel queries list"})
final class QueriesCommand {
    private final Terminal terminal;

    QueriesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Command(
            name = "list",
            description = {
                "Show the open queries, the oldest first: id, lane (light or heavy, by the tuples that it is expected to look"
                        + " at; none of a statement that DuckDB computes), what it is at, its age, those tuples, the rows"
                        + " sent, its client and what it asks.",
                "planning: it reads the catalog; waiting: others of its lane are before it; running; sending: its client has"
                        + " not taken what it was sent."
            },
            footer = {"", "Example:", "  waterwheel queries list"})
    int list(@Mixin ServerOption server) {
        try (WaterwheelClient client = server.connect()) {
            List<OpenQuery> open = client.queries();
            if (open.isEmpty()) {
                terminal.out().println("no query is open");
                return 0;
            }
            terminal.out().println(row("ID", "LANE", "STAGE", "AGE", "TUPLES", "SENT", "CLIENT", "QUERY"));
            for (OpenQuery query : open) {
                terminal.out()
                        .println(row(
                                query.id(),
                                query.lane(),
                                query.stage(),
                                String.format(Locale.ROOT, "%.1f s", query.age().toMillis() / 1e3),
                                String.format(Locale.ROOT, "%,d", query.tuples()),
                                String.format(Locale.ROOT, "%,d", query.rows()),
                                query.client(),
                                query.text().replaceAll("\\p{Cntrl}", "?")));
            }
            return 0;
        }
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, "%-14s %-7s %-8s %9s %13s %11s  %-21s %s", cells);
    }

    @Command(
            name = "kill",
            description = "End an open query; its client is told QUERY_KILLED.",
            footer = {"", "Example:", "  waterwheel queries kill 3fa90c-17"})
    int kill(
            @Mixin ServerOption server,
            @Parameters(paramLabel = "ID", description = "As 'waterwheel queries list' shows it.") String id) {
        try (WaterwheelClient client = server.connect()) {
            if (!client.killQuery(id)) {
                throw new WaterwheelException(
                        ErrorCode.NO_SUCH_QUERY,
                        "no query '" + id
                                + "' is open; it may have ended; 'waterwheel queries list' shows those there are");
            }
            terminal.out().println("ended " + id);
            return 0;
        }
    }
}
