package io.waterwheel.trino;

import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.UUID;

/** A transaction of Trino's; within one, each stream is pinned to positions when it is first named. */
public record StreamTransaction(UUID id) implements ConnectorTransactionHandle {}
