package io.waterwheel.topology;

import io.waterwheel.topology.task.IdlePause;
import java.util.Map;
import org.apache.storm.policy.IWaitStrategy;

/**
 * How a thread of Storm waits for tuples: as {@link IdlePause} says. Storm's own strategy sleeps a millisecond for
 * ever, which costs an idle worker more than all else. One thread.
 */
public final class IdleWait implements IWaitStrategy {
    private final IdlePause pause = new IdlePause();

    @Override
    public void prepare(Map<String, Object> conf, WaitSituation situation) {}

    @Override
    public int idle(int looks) throws InterruptedException {
        return pause.pause(looks);
    }
}
