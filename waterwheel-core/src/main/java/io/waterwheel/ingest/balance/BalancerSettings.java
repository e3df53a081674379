package io.waterwheel.ingest.balance;

import java.time.Duration;

/**
 * When the balancer acts.
 *
 * @param deviation of an indexer's load from the mean, as a part of the mean, above which the keys are divided anew
 * @param patience how long it must be exceeded first; a burst is not a trend
 * @param pause between two changes at least: each costs an edit, a table and a version in every partition's route
 */
public record BalancerSettings(double deviation, Duration patience, Duration pause) {
    /** A deviation of 20 %, as in [Wang 2018]. */
    public static final BalancerSettings DEFAULT =
            new BalancerSettings(0.2, Duration.ofSeconds(5), Duration.ofSeconds(20));

    public BalancerSettings {
        if (!(deviation > 0) || patience.isNegative() || pause.isNegative()) {
            throw new IllegalArgumentException(
                    "balancer: deviation " + deviation + ", patience " + patience + ", pause " + pause);
        }
    }
}
