package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Shows what the processes wrote. */
@Command(
        name = "logs",
        description = "Shows the end of logs; without a name, where they all are.",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true)
final class LogsCommand implements Callable<Integer> {
    @ParentCommand
    ClusterCommand cluster = new ClusterCommand();

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            description = "A daemon, as status calls it; 'workers' for all workers', 'worker-PORT' for one's.")
    @Nullable
    String name;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "Number of lines (default: ${DEFAULT-VALUE}).",
            defaultValue = "100")
    int lines = 100;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with what is written from now on.")
    boolean follow;

    @Override
    public Integer call() throws Exception {
        List<Path> files = files(cluster.folder());
        if (name == null) {
            for (Path file : files) {
                cluster.out().printf(Locale.ROOT, "%10d  %s%n", Files.size(file), file);
            }
            cluster.out().flush();
            return 0;
        }
        List<Path> chosen = files.stream().filter(file -> isOf(file, name)).toList();
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no log of '" + name + "' in " + cluster.folder() + "; without a name, logs lists them");
        }
        List<String> command = new ArrayList<>(List.of("tail", "-n", Integer.toString(lines)));
        if (follow) {
            command.add("-F");
        }
        chosen.forEach(file -> command.add(file.toString()));
        Process tail = new ProcessBuilder(command).inheritIO().start();
        return tail.waitFor();
    }

    /** All logs below a cluster's folder, in order of their names. */
    static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        return Folders.files(folder).stream()
                .filter(file -> file.toString().endsWith(".log") || file.endsWith("worker.log.err"))
                .filter(file -> !file.startsWith(folder.resolve("data")))
                .toList();
    }

    /**
     * Whether the file is this one's: {@code logs/NAME.log}, or {@code .../workers-artifacts/TOPOLOGY/PORT/worker.log}.
     */
    static boolean isOf(Path file, String name) {
        Path parent = file.getParent();
        boolean ofWorker = file.toString().contains("workers-artifacts") && parent != null;
        if (name.equals("workers")) {
            return ofWorker;
        }
        if (name.startsWith("worker-")) {
            return ofWorker && parent != null && parent.endsWith(name.substring("worker-".length()));
        }
        return !ofWorker && file.endsWith(name + ".log");
    }
}
