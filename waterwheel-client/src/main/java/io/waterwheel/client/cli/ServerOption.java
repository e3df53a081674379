package io.waterwheel.client.cli;

import io.waterwheel.client.WaterwheelClient;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which server a command talks to. */
final class ServerOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--server",
            paramLabel = "URL",
            split = ",",
            defaultValue = "${env:WATERWHEEL_SERVER:-grpc://127.0.0.1:7070}",
            description = {
                "One or more coordinators, with commas between. Default: the environment's WATERWHEEL_SERVER, else"
                        + " grpc://127.0.0.1:7070."
            })
    private List<String> urls = List.of();

    WaterwheelClient connect() {
        try {
            return WaterwheelClient.connect(urls.toArray(String[]::new));
        } catch (IllegalArgumentException e) {
            CommandLine command = spec.commandLine();
            throw new ParameterException(command, String.valueOf(e.getMessage()), e);
        }
    }
}
