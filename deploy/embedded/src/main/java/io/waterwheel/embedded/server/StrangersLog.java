package io.waterwheel.embedded.server;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.rewrite.RewriteAppender;
import org.apache.logging.log4j.core.appender.rewrite.RewritePolicy;
import org.apache.logging.log4j.core.config.AppenderRef;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.filter.BurstFilter;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;

/**
 * What strangers send to the broker's port is a line of the log each ten seconds at most, not a stack trace each time:
 * they could fill the log with it, and with the log the disk. So is what producers send while the disk is full.
 */
final class StrangersLog {
    private static final String FILE = "file";
    private static final String LOGGER = "org.apache.kafka.common.network.Selector";
    private static final float LINES_A_SECOND = 0.1f;
    private static final long AT_ONCE = 3;

    private StrangersLog() {}

    /** Changes the configuration of the log that is in force, unless it is not the server's own. */
    static void apply() {
        LoggerContext context = LoggerContext.getContext(false);
        Configuration configuration = context.getConfiguration();
        if (configuration.getAppender(FILE) == null) {
            return;
        }
        AppenderRef[] file = {AppenderRef.createAppenderRef(FILE, null, null)};
        Appender lines = some("strangers", file, configuration, StrangersLog::oneLine);
        LoggerConfig logger = new LoggerConfig(LOGGER, Level.WARN, false);
        logger.addAppender(lines, null, null);
        configuration.addLogger(LOGGER, logger);
        Appender refusals = some("refusals", file, configuration, RefusalsLog::oneLine);
        LoggerConfig requests = new LoggerConfig(RefusalsLog.LOGGER, Level.WARN, false);
        requests.addAppender(refusals, null, new RefusalsLog.Sieve(true));
        requests.addAppender(configuration.getAppender(FILE), null, new RefusalsLog.Sieve(false));
        configuration.addLogger(RefusalsLog.LOGGER, requests);
        context.updateLoggers();
    }

    /** An appender to the file of some of what it is given. */
    private static Appender some(String name, AppenderRef[] file, Configuration configuration, RewritePolicy policy) {
        Appender lines = RewriteAppender.createAppender(
                name,
                "true",
                file,
                configuration,
                policy,
                BurstFilter.newBuilder()
                        .setLevel(Level.FATAL)
                        .setRate(LINES_A_SECOND)
                        .setMaxBurst(AT_ONCE)
                        .build());
        lines.start();
        configuration.addAppender(lines);
        return lines;
    }

    private static LogEvent oneLine(LogEvent event) {
        Throwable thrown = event.getThrown();
        if (thrown == null) {
            return event;
        }
        return new Log4jLogEvent.Builder(event)
                .setThrown(null)
                .setMessage(new SimpleMessage(event.getMessage().getFormattedMessage() + ": " + thrown.getMessage()))
                .build();
    }
}
