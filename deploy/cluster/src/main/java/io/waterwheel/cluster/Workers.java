package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The worker processes of a Supervisor, as its folder names them. */
final class Workers {
    private static final String MAIN = "org.apache.storm.daemon.worker.Worker";

    private final ClusterFiles files;

    Workers(ClusterFiles files) {
        this.files = files;
    }

    /** Those that run now, by port. */
    List<RealCluster.Worker> running() throws IOException {
        List<RealCluster.Worker> found = new ArrayList<>();
        Path all = files.data.resolve("storm/workers");
        if (Files.isDirectory(all)) {
            try (DirectoryStream<Path> ids = Files.newDirectoryStream(all)) {
                for (Path id : ids) {
                    collect(id.resolve("pids"), found);
                }
            }
        }
        found.sort(Comparator.comparingInt(RealCluster.Worker::port));
        return found;
    }

    private void collect(Path pids, List<RealCluster.Worker> found) throws IOException {
        if (!Files.isDirectory(pids)) {
            return;
        }
        try (DirectoryStream<Path> names = Files.newDirectoryStream(pids)) {
            for (Path name : names) {
                RealCluster.Worker worker =
                        look(Long.parseLong(name.getFileName().toString()));
                if (worker != null) {
                    found.add(worker);
                }
            }
        }
    }

    /** The process, if it is a worker of this cluster: ids are used again. */
    private RealCluster.@Nullable Worker look(long pid) {
        String[] command;
        try {
            command = new String(Files.readAllBytes(Path.of("/proc/" + pid + "/cmdline")), StandardCharsets.UTF_8)
                    .split("\0", -1);
        } catch (IOException e) {
            return null; // it has ended
        }
        // ... Worker TOPOLOGY SUPERVISOR SUPERVISOR-PORT PORT WORKER
        for (int i = 0; i + 5 < command.length; i++) {
            if (command[i].equals(MAIN) && String.join(" ", command).contains(files.folder.toString())) {
                return new RealCluster.Worker(pid, command[i + 1], Integer.parseInt(command[i + 4]));
            }
        }
        return null;
    }

    static void kill(RealCluster.Worker worker) {
        ProcessHandle.of(worker.pid()).ifPresent(ProcessHandle::destroyForcibly);
    }
}
