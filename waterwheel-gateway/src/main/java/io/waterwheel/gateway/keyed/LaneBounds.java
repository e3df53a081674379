package io.waterwheel.gateway.keyed;

/**
 * The bounds of a {@link LaneProtocol}.
 *
 * @param lanes that there are: a power of two
 * @param leastKeys that are remembered, however old
 * @param keepMillis how long each is remembered at least
 * @param batchRows of one transaction: the batch ends with the request that reaches it
 * @param batchKeys of one transaction
 * @param patienceMillis after which a request that could not be stored is told so
 * @param retryMillis before lanes that were lost are claimed again; twice as long, and a random part of it, with each
 *     loss that follows before anything is stored: two gateways would shut each other out for ever
 * @param distrustMillis for which a gateway that gave no answer is asked no more
 */
record LaneBounds(
        int lanes,
        int leastKeys,
        long keepMillis,
        int batchRows,
        int batchKeys,
        long patienceMillis,
        long retryMillis,
        long distrustMillis) {}
