package io.waterwheel.cli;

import picocli.CommandLine.Parameters;

/** Which server and stream a command is about; the stream is the first word. */
final class StreamOption extends ServerOption {
    @Parameters(index = "0", paramLabel = "STREAM", description = "The stream's name.")
    private String stream = "";

    String stream() {
        return stream;
    }
}
