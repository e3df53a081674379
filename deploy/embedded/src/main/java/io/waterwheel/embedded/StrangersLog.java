package io.waterwheel.embedded;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.rewrite.RewriteAppender;
import org.apache.logging.log4j.core.config.AppenderRef;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.filter.BurstFilter;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;

/**
 * What strangers send to the broker's port is a line of the log each ten seconds at most, not a stack trace each time:
 * they could fill the log with it, and with the log the disk.
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
        Appender lines = RewriteAppender.createAppender(
                "strangers",
                "true",
                file,
                configuration,
                StrangersLog::oneLine,
                BurstFilter.newBuilder()
                        .setLevel(Level.WARN)
                        .setRate(LINES_A_SECOND)
                        .setMaxBurst(AT_ONCE)
                        .build());
        lines.start();
        configuration.addAppender(lines);
        LoggerConfig logger = new LoggerConfig(LOGGER, Level.WARN, false);
        logger.addAppender(lines, null, null);
        configuration.addLogger(LOGGER, logger);
        context.updateLoggers();
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
