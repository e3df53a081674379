package io.waterwheel.cli;

import io.waterwheel.client.WaterwheelClient;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which server a command talks to: a mixin of picocli. */
public class ServerOption {
    private static final String DEFAULT_SERVER = "grpc://127.0.0.1:7070";
    private static final String DEFAULT_NAMESPACE = "default";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--server",
            paramLabel = "URL",
            split = ",",
            description = {
                "One or more coordinators, with commas between. Default: the environment's WATERWHEEL_SERVER, else"
                        + " grpc://127.0.0.1:7070."
            })
    private @Nullable List<String> urls;

    @Option(
            names = "--zookeeper",
            paramLabel = "HOST:PORT,...",
            description = {
                "In place of --server: find the coordinators in ZooKeeper. With /ROOT behind it when that is not"
                        + " /waterwheel. Default: the environment's WATERWHEEL_ZOOKEEPER, when there is no WATERWHEEL_SERVER."
            })
    private @Nullable String zooKeeper;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            description = {
                "With --zookeeper: whose coordinators. Default: the environment's WATERWHEEL_NAMESPACE, else default."
            })
    private @Nullable String namespace;

    /** The client of the server that the options, or the environment, name. It connects when it is first used. */
    public WaterwheelClient connect() {
        try {
            return connect(System.getenv());
        } catch (IllegalArgumentException e) {
            CommandLine command = spec.commandLine();
            throw new ParameterException(command, String.valueOf(e.getMessage()), e);
        }
    }

    /** @throws IllegalArgumentException when what was said makes no sense */
    WaterwheelClient connect(Map<String, String> environment) {
        if (urls != null && zooKeeper != null) {
            throw new IllegalArgumentException(
                    "give --server to name coordinators, or --zookeeper to find them, not both");
        }
        if (urls != null) {
            refuseNamespace();
            return connect(urls);
        }
        String server = environment.get("WATERWHEEL_SERVER");
        String found = zooKeeper;
        if (found == null && server == null) {
            found = environment.get("WATERWHEEL_ZOOKEEPER");
        }
        if (found == null) {
            refuseNamespace();
            return connect(List.of((server == null ? DEFAULT_SERVER : server).split(",", -1)));
        }
        return WaterwheelClient.discover(
                found,
                namespace == null ? environment.getOrDefault("WATERWHEEL_NAMESPACE", DEFAULT_NAMESPACE) : namespace);
    }

    private void refuseNamespace() {
        if (namespace != null) {
            throw new IllegalArgumentException(
                    "--namespace goes with --zookeeper: a coordinator that is named serves one namespace");
        }
    }

    private static WaterwheelClient connect(List<String> servers) {
        return WaterwheelClient.connect(servers.toArray(String[]::new));
    }
}
