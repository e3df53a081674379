package io.waterwheel.ingest;

import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.dispatch.DispatcherEffects;
import io.waterwheel.ingest.dispatch.RefusedRow;
import io.waterwheel.protocol.Control;
import io.waterwheel.tuple.LostRange;
import java.util.List;

/** Effects of a dispatcher of which nothing comes, but for what a test overrides. Bodies of blocks are not released. */
public class QuietDispatcherEffects implements DispatcherEffects {
    @Override
    public void send(ChannelBlock block) {}

    @Override
    public void readLog(long from, int maxBytes) {}

    @Override
    public void takeBackRead() {}

    @Override
    public void raiseLimit(long limit, LogIdentity log) {}

    @Override
    public void giveUp(LostRange range) {}

    @Override
    public void fetchTable(int version) {}

    @Override
    public void storeDeadLetters(Object token, List<RefusedRow> letters) {}

    @Override
    public void steer(Control.ReadFrom live) {}

    @Override
    public void report(Control.PartitionReport report) {}

    @Override
    public void sample(Control.KeySample sample) {}
}
