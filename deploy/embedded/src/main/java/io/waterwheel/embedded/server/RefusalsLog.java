package io.waterwheel.embedded.server;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.filter.AbstractFilter;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;

/**
 * What the broker logs of a request that {@link AppendGate} refused: one line of whom and why. Kafka's own has the
 * whole request, and the reason on a second line without a date.
 */
final class RefusalsLog {
    /** Where the broker logs them, among other things. */
    static final String LOGGER = "kafka.server.KafkaApis";

    private static final Pattern CLIENT = Pattern.compile("clientId=([^,)]{0,100})");
    private static final Pattern ADDRESS = Pattern.compile("clientAddress=/?([^,)]{0,100})");

    private RefusalsLog() {}

    /** Lets refusals pass, or all but refusals. */
    static final class Sieve extends AbstractFilter {
        private final boolean refusals;

        Sieve(boolean refusals) {
            this.refusals = refusals;
        }

        @Override
        public Result filter(LogEvent event) {
            return isRefusal(event) == refusals ? Result.NEUTRAL : Result.DENY;
        }
    }

    static boolean isRefusal(LogEvent event) {
        return event.getThrown() instanceof AppendGate.Refusal;
    }

    static LogEvent oneLine(LogEvent event) {
        String said = event.getMessage().getFormattedMessage();
        String why = event.getThrown() == null ? "" : ": " + event.getThrown().getMessage();
        return new Log4jLogEvent.Builder(event)
                .setThrown(null)
                .setMessage(new SimpleMessage(
                        "requests of " + first(CLIENT, said) + " at " + first(ADDRESS, said) + " are refused" + why))
                .build();
    }

    private static String first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : "an unknown client";
    }
}
