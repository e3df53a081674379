package io.waterwheel.embedded;

import io.waterwheel.cli.Cli;
import io.waterwheel.cli.ServerOption;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.embedded.demo.DemoCommand;
import io.waterwheel.embedded.gateway.GatewayCommand;
import io.waterwheel.embedded.operate.TopologyCommand;
import io.waterwheel.embedded.server.LogSettings;
import io.waterwheel.embedded.server.ServerCommand;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** Entry point of the {@code waterwheel} launcher: the client's commands, and those of this module. */
public final class Main {
    private static final Set<String> OF_THIS_MODULE = Set.of("demo", "server", "gateway", "topology");

    private Main() {}

    public static void main(String[] args) {
        LogSettings.quietGrpc();
        if (args.length > 0 && OF_THIS_MODULE.contains(args[0])) {
            LogSettings.choose(args[0].equals("gateway") ? "log4j2-gateway.xml" : "log4j2-command.xml");
        } else {
            LogSettings.chooseForClient();
            QuickArrow.begin();
            ServerOption.foresee(args);
        }
        Terminal terminal = Terminal.ofProcess();
        AtomicBoolean done = new AtomicBoolean();
        if (args.length > 0 && !args[0].equals("server") && !args[0].equals("gateway")) {
            // To a signal the JVM's answer is 128 + its number. What was printed until then must not look whole.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> sayInterrupted(args[0], terminal, done)));
        }
        int code;
        try {
            code = run(args, terminal);
        } catch (Throwable e) {
            // Thrown on, it would end this thread only, and with it nothing: others go on.
            terminal.err().println("waterwheel: " + e);
            e.printStackTrace(terminal.err());
            code = Cli.FAILURE;
        }
        done.set(true);
        // Explicit: services in this process may leave threads behind, and what was foreseen in vain is not waited for.
        System.exit(code);
    }

    private static void sayInterrupted(String command, Terminal terminal, AtomicBoolean done) {
        if (!done.get()) {
            terminal.err()
                    .println((terminal.interactive() ? "\n" : "") + "waterwheel " + command
                            + ": interrupted before it was done");
        }
    }

    static int run(String[] args, Terminal terminal) {
        Map<String, Supplier<Object>> further = new LinkedHashMap<>();
        further.put("demo", () -> new DemoCommand(terminal));
        further.put("server", () -> new ServerCommand(terminal));
        further.put("gateway", () -> new GatewayCommand(terminal));
        further.put("topology", () -> new TopologyCommand(terminal));
        return Cli.run(args, terminal, further);
    }
}
