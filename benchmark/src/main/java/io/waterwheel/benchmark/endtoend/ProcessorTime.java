package io.waterwheel.benchmark.endtoend;

import java.util.Locale;

/** Processor time of a server and of its client, this process, from a moment on. */
record ProcessorTime(LaunchedServer server, long serverMillis, long clientMillis) {
    static ProcessorTime begin(LaunchedServer server) {
        return new ProcessorTime(server, server.cpuMillis(), LaunchedServer.ownCpuMillis());
    }

    double serverMillis(int answers) {
        return (server.cpuMillis() - serverMillis) / (double) answers;
    }

    String perAnswer(int answers) {
        return String.format(
                Locale.ROOT,
                "; processor %.2f ms of the server, %.2f ms of the client",
                serverMillis(answers),
                (LaunchedServer.ownCpuMillis() - clientMillis) / (double) answers);
    }
}
