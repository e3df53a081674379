package io.waterwheel.cluster;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command {@code cluster}: a cluster that outlives the command. Its folder tells the next one what there is. */
@Command(
        name = "cluster",
        description = {
            "ZooKeeper, a Kafka broker, HDFS with three DataNodes, and Storm with three Supervisors, each a process of"
                    + " its own, on this machine."
        },
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true,
        subcommands = {
            UpCommand.class,
            DownCommand.class,
            StatusCommand.class,
            LogsCommand.class,
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:it could not be done; a line on standard error says why",
            "2:wrong arguments",
            "3:status: not everything is up"
        })
public final class ClusterCommand {
    private static final int FAILED = 1;
    private static final int MISUSED = 2;

    @Option(
            names = "--folder",
            scope = ScopeType.INHERIT,
            paramLabel = "DIR",
            description = "Where the cluster keeps everything (default: ${DEFAULT-VALUE}).",
            defaultValue = "${sys:waterwheel.cluster.folder}")
    Path folder = Path.of("");

    @Spec
    CommandSpec spec = CommandSpec.create();

    /** Where the build has put the class paths. */
    Path dist() {
        return Path.of(System.getProperty("waterwheel.cluster.dist", "target/dist"));
    }

    Path folder() {
        return folder.toAbsolutePath().normalize();
    }

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** The command line, its errors as one line. */
    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new ClusterCommand());
        line.setExecutionExceptionHandler((problem, command, parsed) -> {
            command.getErr().println("cluster: " + text(problem));
            command.getErr().flush();
            return problem instanceof IllegalArgumentException ? MISUSED : FAILED;
        });
        return line;
    }

    private static String text(Exception problem) {
        return problem instanceof IOException || problem instanceof IllegalArgumentException
                ? String.valueOf(problem.getMessage())
                : problem.toString();
    }

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }
}
