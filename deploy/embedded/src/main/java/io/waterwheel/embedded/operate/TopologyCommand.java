package io.waterwheel.embedded.operate;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.cli.Cli;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.storm.generated.TopologySummary;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code waterwheel topology ...}: starts and ends topologies on a Storm cluster. */
@Command(
        name = "topology",
        description = "Submit, list, drain, activate and kill topologies on a Storm cluster.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example:", "  waterwheel topology submit --config conf/waterwheel.yaml --wait"})
public final class TopologyCommand {
    /** How results are printed. */
    enum Format {
        TEXT,
        JSON
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Terminal terminal;

    public TopologyCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Command(
            name = "submit",
            description = {
                "Start a topology on Storm: upload the topology jar, as 'storm jar' does, with a configuration.",
                "KEY=VALUE are Waterwheel's keys, over those of --config; -c are Storm's, over its section storm."
            },
            footer = {
                "",
                "Examples:",
                "  waterwheel topology submit --config conf/waterwheel.yaml --wait",
                "  waterwheel topology submit --nimbus storm1:6627 -c topology.debug=true indexer.tasks=4"
            })
    int submit(
            @Mixin NimbusOption option,
            @Option(names = "-c", paramLabel = "KEY=VALUE", description = "A key of Storm's configuration.") @Nullable
                    Map<String, String> storm,
            @Option(
                            names = "--jar",
                            paramLabel = "FILE",
                            description = "The topology jar. Default: the one that was built here.")
                    @Nullable
                    Path jar,
            @Option(
                            names = "--duckdb",
                            paramLabel = "FILE",
                            description = {
                                "The jar of DuckDB that answers joins in SQL on the workers; none: they are given none,"
                                        + " for they have it in Storm's extlib, or do without.",
                                "Default: the one that this program has."
                            })
                    @Nullable
                    Path duckDb,
            @Option(
                            names = "--wait",
                            paramLabel = "SECONDS",
                            arity = "0..1",
                            fallbackValue = "120",
                            description = "Return when it takes queries; at most so long, 120 when no number is given.")
                    @Nullable
                    Integer seconds,
            @Parameters(paramLabel = "KEY=VALUE", description = "Keys of the configuration.") @Nullable
                    List<String> overrides)
            throws IOException {
        WaterwheelConfig config =
                option.config(overrides == null ? List.of() : overrides).withStorm(storm == null ? Map.of() : storm);
        Submission submission =
                new Submission(terminal, option.nimbus(config.toStormConf(), System.getenv()), config, jar, duckDb);
        submission.run();
        if (seconds != null) {
            submission.await(Duration.ofSeconds(seconds));
        }
        return 0;
    }

    @Command(
            name = "list",
            description = {
                "List the topologies that Nimbus knows: name, status, seconds since the submission, workers, executors and"
                        + " namespace, with tabs between. The namespace is - where a topology is not Waterwheel's."
            },
            footer = {"", "Example:", "  waterwheel topology list --nimbus storm1:6627"})
    int list(
            @Mixin NimbusOption option,
            @Option(
                            names = "--format",
                            paramLabel = "text|json",
                            defaultValue = "text",
                            description = "text, or one JSON object. Default: text.")
                    Format format)
            throws IOException {
        Nimbus nimbus = option.nimbus();
        ArrayNode json = JSON.createArrayNode();
        List<TopologySummary> topologies = nimbus.topologies();
        for (TopologySummary topology : topologies) {
            String namespace = nimbus.conf(topology).get(WaterwheelConfig.STORM_KEY) instanceof Map<?, ?> ours
                    ? String.valueOf(ours.get(Keys.NAMESPACE.name()))
                    : "-";
            if (format == Format.JSON) {
                json.addObject()
                        .put("name", topology.get_name())
                        .put("id", topology.get_id())
                        .put("status", topology.get_status())
                        .put("uptimeSeconds", topology.get_uptime_secs())
                        .put("workers", topology.get_num_workers())
                        .put("executors", topology.get_num_executors())
                        .put("namespace", namespace);
            } else {
                terminal.out()
                        .println(String.join(
                                "\t",
                                topology.get_name(),
                                topology.get_status(),
                                Integer.toString(topology.get_uptime_secs()),
                                Integer.toString(topology.get_num_workers()),
                                Integer.toString(topology.get_num_executors()),
                                namespace));
            }
        }
        if (format == Format.JSON) {
            ObjectNode all = JSON.createObjectNode();
            all.set("topologies", json);
            terminal.out().println(all);
        } else if (topologies.isEmpty()) {
            terminal.err().println("there are no topologies");
        }
        return 0;
    }

    @Command(
            name = "drain",
            description = {
                "Write everything into chunks, then end a topology, so that the next one has nothing to read again.",
                "All that was in the log at the call is written while queries go on; then reading stops, what was read"
                        + " meanwhile is written too, and when every checkpoint says so the topology is killed. What"
                        + " producers send later waits in the log. Prints stream, partition and the position that was"
                        + " reached, with tabs between.",
                "When that takes longer than --deadline the topology goes on as before, and the command fails."
            },
            footer = {"", "Example:", "  waterwheel topology drain waterwheel"})
    int drain(
            @Mixin NimbusOption option,
            @Parameters(paramLabel = "NAME", description = "The topology's name.") String name,
            @Option(
                            names = "--deadline",
                            paramLabel = "SECONDS",
                            defaultValue = "120",
                            description = "How long it may take in all. Default: 120.")
                    int seconds,
            @Option(
                            names = "--format",
                            paramLabel = "text|json",
                            defaultValue = "text",
                            description = "text, or one JSON object. Default: text.")
                    Format format)
            throws IOException {
        Drain drain = new Drain(option.nimbus(), Duration.ofSeconds(seconds), terminal.err()::println);
        Map<String, Map<Integer, Long>> reached = new TreeMap<>(drain.run(name));
        if (format == Format.TEXT) {
            reached.forEach(
                    (stream, positions) -> new TreeMap<>(positions).forEach((partition, position) -> terminal.out()
                            .println(stream + "\t" + partition + "\t" + position)));
            return 0;
        }
        ObjectNode json = JSON.createObjectNode().put("topology", name);
        ObjectNode streams = json.putObject("streams");
        reached.forEach((stream, positions) -> {
            ObjectNode of = streams.putObject(stream);
            new TreeMap<>(positions).forEach((partition, position) -> of.put(Integer.toString(partition), position));
        });
        terminal.out().println(json);
        return 0;
    }

    @Command(
            name = "activate",
            description = "Let a topology read on that stands still: its drain was interrupted, or Storm was told so.",
            footer = {"", "Example:", "  waterwheel topology activate waterwheel"})
    int activate(
            @Mixin NimbusOption option,
            @Parameters(paramLabel = "NAME", description = "The topology's name.") String name)
            throws IOException {
        option.nimbus().activate(name);
        terminal.err().println("topology " + name + " reads on");
        return 0;
    }

    @Command(
            name = "kill",
            description = {
                "End a topology at once. Nothing is lost: what is not in chunks is read again by the next one. To leave"
                        + " nothing to read again, use drain."
            },
            footer = {"", "Example:", "  waterwheel topology kill waterwheel --wait"})
    int kill(
            @Mixin NimbusOption option,
            @Parameters(paramLabel = "NAME", description = "The topology's name.") String name,
            @Option(names = "--wait", description = "Return when its workers have ended; at most a minute.")
                    boolean wait)
            throws IOException {
        Nimbus nimbus = option.nimbus();
        Map<String, Object> conf = nimbus.conf(nimbus.require(name));
        nimbus.kill(name);
        if (wait) {
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
            if (!Drain.awaitGone(nimbus, name, deadline)) {
                terminal.err().println("topology " + name + " is killed, but Nimbus still lists it after a minute");
                return Cli.FAILURE;
            }
            if (conf.containsKey(WaterwheelConfig.STORM_KEY) && !awaitWorkersEnd(conf, name, deadline)) {
                return Cli.FAILURE;
            }
        }
        terminal.err().println("killed topology " + name);
        return 0;
    }

    private boolean awaitWorkersEnd(Map<String, Object> conf, String name, long deadline) {
        try (CatalogStore catalog = ZooKeeperCatalogStore.connect(WaterwheelConfig.fromStormConf(conf))) {
            boolean ended = Drain.awaitWorkersEnd(catalog, name, deadline);
            if (!ended) {
                terminal.err().println("topology " + name + " is killed, but some of its workers have not ended yet");
            }
            return ended;
        }
    }
}
