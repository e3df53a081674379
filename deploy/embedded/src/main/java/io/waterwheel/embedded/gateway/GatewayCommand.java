package io.waterwheel.embedded.gateway;

import io.waterwheel.cli.ServerOption;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.gateway.Gateway;
import io.waterwheel.topology.config.ConfigException;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel gateway}. */
@Command(
        name = "gateway",
        description = {
            "Answer HTTP in front of a server: queries, streams, status. It keeps nothing; any number of them may run.",
            "Prints one line when it listens, 'ready: http://HOST:PORT', then runs until it is told to end (Ctrl-C,"
                    + " SIGTERM). Coordinators may come and go meanwhile. 'waterwheel server' has a gateway in it."
        },
        footer = {
            "",
            "Examples:",
            "  waterwheel gateway",
            "  waterwheel gateway --port 8080 --zookeeper zk1:2181,zk2:2181",
            "  waterwheel gateway --server grpc://coordinator:7070 gateway.host=0.0.0.0"
        })
public final class GatewayCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOption server = new ServerOption();

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Port to listen at; 0 is any free one. Default: what the configuration says, else 7071.")
    private @Nullable Integer port;

    @Option(
            names = "--conf",
            paramLabel = "FILE",
            description = "A configuration file in YAML; only its gateway.* and metrics.streams count.")
    private @Nullable Path file;

    @Parameters(paramLabel = "KEY=VALUE", description = "Keys of the configuration, over those of the file.")
    private List<String> overrides = List.of();

    public GatewayCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        WaterwheelConfig config = config();
        WaterwheelClient client = server.connect();
        Gateway gateway = Gateway.start(GatewayConfig.settings(config), GatewayConfig.metrics(config));
        gateway.serve(client);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(gateway, client), "waterwheel-stop"));
        terminal.out().println("ready: " + gateway.url());
        terminal.out().flush();
        new CountDownLatch(1).await();
        return 0;
    }

    private WaterwheelConfig config() {
        List<String> all = new ArrayList<>(overrides);
        if (port != null) {
            all.add(Keys.GATEWAY_PORT.name() + "=" + port);
        }
        try {
            return file == null ? WaterwheelConfig.parse("command line", "", all) : WaterwheelConfig.load(file, all);
        } catch (ConfigException | UncheckedIOException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private static void stop(Gateway gateway, WaterwheelClient client) {
        try {
            gateway.close();
            client.close();
        } finally {
            // The JVM would report the signal as a failure (128 + its number); to be told to end is none.
            Runtime.getRuntime().halt(0);
        }
    }
}
