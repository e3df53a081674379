package io.waterwheel.trino;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.airlift.units.MaxDuration;
import io.airlift.units.MinDataSize;
import io.airlift.units.MinDuration;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a catalog file may say; docs/trino.md has the table. Airlift sets it, before anybody reads it. */
public class WaterwheelConfig {
    private List<String> servers = List.of();
    private Duration queryTimeout = new Duration(10, TimeUnit.MINUTES);
    private DataSize splitSize = DataSize.of(64, DataSize.Unit.MEGABYTE);
    private int maxSplits = 1_000;
    private Duration dynamicFilterWait = new Duration(1, TimeUnit.SECONDS);

    /** Where coordinators listen: {@code HOST:PORT} each. */
    @NotEmpty
    public List<String> getServers() {
        return servers;
    }

    @Config("waterwheel.server")
    @ConfigDescription("HOST:PORT of each coordinator, with commas between")
    public WaterwheelConfig setServers(List<String> addresses) {
        servers = List.copyOf(addresses);
        return this;
    }

    /** How long one split may take, its reader's time included. */
    @MinDuration("1ms")
    @MaxDuration("1h")
    public Duration getQueryTimeout() {
        return queryTimeout;
    }

    @Config("waterwheel.query-timeout")
    @ConfigDescription("How long a split may take, the time in which Trino reads it included")
    public WaterwheelConfig setQueryTimeout(Duration timeout) {
        queryTimeout = timeout;
        return this;
    }

    /** Bytes of chunks that a split is to read. */
    @MinDataSize("1kB")
    public DataSize getSplitSize() {
        return splitSize;
    }

    @Config("waterwheel.split-size")
    @ConfigDescription("Bytes of chunks that a split is to read")
    public WaterwheelConfig setSplitSize(DataSize size) {
        splitSize = size;
        return this;
    }

    /** Most splits of one scan. */
    @Min(1)
    @Max(10_000)
    public int getMaxSplits() {
        return maxSplits;
    }

    @Config("waterwheel.max-splits")
    @ConfigDescription("Most splits of one scan of a stream")
    public WaterwheelConfig setMaxSplits(int most) {
        maxSplits = most;
        return this;
    }

    /** How long a split waits at most for what the other side of a join says of its keys. */
    @MinDuration("0ms")
    @MaxDuration("10m")
    public Duration getDynamicFilterWait() {
        return dynamicFilterWait;
    }

    @Config("waterwheel.dynamic-filtering.wait-timeout")
    @ConfigDescription("How long a split waits at most for a dynamic filter")
    public WaterwheelConfig setDynamicFilterWait(Duration wait) {
        dynamicFilterWait = wait;
        return this;
    }
}
