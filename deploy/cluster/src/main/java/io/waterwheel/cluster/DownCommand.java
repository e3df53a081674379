package io.waterwheel.cluster;

import java.nio.file.Files;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Ends every process of the cluster. */
@Command(
        name = "down",
        description = "Ends every process of the cluster, workers included. Its data stays, unless --delete is given.",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true)
final class DownCommand implements Callable<Integer> {
    @ParentCommand
    ClusterCommand cluster = new ClusterCommand();

    @Option(names = "--delete", description = "Remove the folder as well: data, logs, ports.")
    boolean delete;

    @Override
    public Integer call() throws Exception {
        if (!Files.isDirectory(cluster.folder())) {
            cluster.out().printf("there is no cluster in %s%n", cluster.folder());
            cluster.out().flush();
            return 0;
        }
        ClusterFolder folder = new ClusterFolder(cluster.folder());
        try (AutoCloseable lock = folder.lock()) {
            Optional<ClusterLayout> layout = folder.layout();
            if (layout.isPresent()) {
                int[] ended = {0};
                folder.daemons(layout.get(), Daemons.Answers.LATE).stopAll((name, what, millis) -> {
                    ended[0]++;
                    cluster.out().printf(Locale.ROOT, "%-14s %s after %4.1f s%n", name, what, millis / 1000.0);
                    cluster.out().flush();
                });
                cluster.out().println(ended[0] == 0 ? "nothing was running" : "all is down");
            } else if (delete) {
                throw new IllegalArgumentException("--delete: " + cluster.folder() + " holds no " + ClusterLayout.FILE
                        + ": it is not the folder of a cluster and is left alone");
            } else {
                cluster.out().printf("there is no cluster in %s%n", cluster.folder());
            }
            if (delete) {
                Folders.delete(cluster.folder());
                cluster.out().println("removed " + cluster.folder());
            }
            cluster.out().flush();
        }
        return 0;
    }
}
