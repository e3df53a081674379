package io.waterwheel.benchmark.endtoend;

import java.util.Locale;

/** Processor time of a server and of its client, this process, from a moment on. */
record ProcessorTime(LaunchedServer server, long serverBefore, long clientBefore) {
    static ProcessorTime begin(LaunchedServer server) {
        return new ProcessorTime(server, server.cpuMillis(), LaunchedServer.ownCpuMillis());
    }

    /** Of the server, since then. */
    double serverMillis() {
        return server.cpuMillis() - serverBefore;
    }

    String perAnswer(int answers) {
        return String.format(
                Locale.ROOT,
                "; processor %.2f ms of the server, %.2f ms of the client",
                serverMillis() / answers,
                (LaunchedServer.ownCpuMillis() - clientBefore) / (double) answers);
    }
}
