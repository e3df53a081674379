package io.waterwheel.cli;

import io.waterwheel.client.WaterwheelClient;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
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

    /**
     * Where to connect to.
     *
     * @param servers of coordinators; empty: ZooKeeper says where they are
     */
    private record Place(List<String> servers, String zooKeeper, String namespace) {
        WaterwheelClient connect() {
            return servers.isEmpty()
                    ? WaterwheelClient.discover(zooKeeper, namespace)
                    : WaterwheelClient.connect(servers.toArray(String[]::new));
        }

        /** In place of equals, whose first call would take longer than a question. */
        String text() {
            return servers + " " + zooKeeper + " " + namespace;
        }
    }

    /** A client that is made before the command line is understood. */
    private record Foreseen(Place place, FutureTask<WaterwheelClient> client) {}

    /** Until the first command that connects takes it. */
    private static final AtomicReference<@Nullable Foreseen> FORESEEN = new AtomicReference<>();

    /** Commands that ask once, and for whom it is worthwhile. */
    private static final Set<String> ASKING_ONCE = Set.of("query", "sql", "status");

    private static final Set<String> NOT_ASKING = Set.of("-h", "--help", "-V", "--version");

    /**
     * Begins to connect to where the arguments of such a command seem to point, and to load what its answer takes, on
     * other threads: meanwhile the command line is understood, which takes about as long. For a process that runs one
     * command, and then exits; one that goes on calls {@link #forget}.
     */
    public static void foresee(String[] args) {
        if (args.length == 0
                || !ASKING_ONCE.contains(args[0])
                || Arrays.stream(args).anyMatch(NOT_ASKING::contains)) {
            return;
        }
        ServerOption option = new ServerOption();
        for (int i = 1; i < args.length; i++) {
            int equals = args[i].indexOf('=');
            String name = equals < 0 ? args[i] : args[i].substring(0, equals);
            String value = equals >= 0 ? args[i].substring(equals + 1) : i + 1 < args.length ? args[i + 1] : "";
            switch (name) {
                case "--server" -> option.urls = List.of(value.split(",", -1));
                case "--zookeeper" -> option.zooKeeper = value;
                case "--namespace" -> option.namespace = value;
                default -> {
                    // of the command
                }
            }
        }
        Place place;
        try {
            place = option.place(System.getenv());
        } catch (IllegalArgumentException e) {
            return; // said when the command line is understood
        }
        FutureTask<WaterwheelClient> client = new FutureTask<>(() -> {
            WaterwheelClient made = place.connect();
            made.reach();
            return made;
        });
        FORESEEN.set(new Foreseen(place, client));
        start("early-client", client);
        if (!args[0].equals("status")) {
            start("early-rows", WaterwheelClient::prepare);
        }
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Ends what was begun and is not taken. */
    public static void forget() {
        Foreseen foreseen = FORESEEN.getAndSet(null);
        WaterwheelClient client = foreseen == null ? null : made(foreseen);
        if (client != null) {
            client.close();
        }
    }

    /** Null where it could not be made: who makes it then learns why. */
    private static @Nullable WaterwheelClient made(Foreseen foreseen) {
        try {
            return foreseen.client().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (ExecutionException e) {
            return null;
        }
    }

    /** The client of the server that the options, or the environment, name. It connects when it is first used. */
    public WaterwheelClient connect() {
        try {
            Place place = place(System.getenv());
            Foreseen foreseen = FORESEEN.get();
            if (foreseen != null
                    && foreseen.place().text().equals(place.text())
                    && FORESEEN.compareAndSet(foreseen, null)) {
                WaterwheelClient client = made(foreseen);
                if (client != null) {
                    return client;
                }
            }
            return place.connect();
        } catch (IllegalArgumentException e) {
            CommandLine command = spec.commandLine();
            throw new ParameterException(command, String.valueOf(e.getMessage()), e);
        }
    }

    /** @throws IllegalArgumentException when what was said makes no sense */
    WaterwheelClient connect(Map<String, String> environment) {
        return place(environment).connect();
    }

    private Place place(Map<String, String> environment) {
        if (urls != null && zooKeeper != null) {
            throw new IllegalArgumentException(
                    "give --server to name coordinators, or --zookeeper to find them, not both");
        }
        if (urls != null) {
            refuseNamespace();
            return new Place(urls, "", "");
        }
        String server = environment.get("WATERWHEEL_SERVER");
        String found = zooKeeper;
        if (found == null && server == null) {
            found = environment.get("WATERWHEEL_ZOOKEEPER");
        }
        if (found == null) {
            refuseNamespace();
            return new Place(List.of((server == null ? DEFAULT_SERVER : server).split(",", -1)), "", "");
        }
        return new Place(
                List.of(),
                found,
                namespace == null ? environment.getOrDefault("WATERWHEEL_NAMESPACE", DEFAULT_NAMESPACE) : namespace);
    }

    private void refuseNamespace() {
        if (namespace != null) {
            throw new IllegalArgumentException(
                    "--namespace goes with --zookeeper: a coordinator that is named serves one namespace");
        }
    }
}
