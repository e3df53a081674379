package io.waterwheel.topology.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.protocol.Control;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

final class ControlBatchTest {
    private final List<String> said = new ArrayList<>();
    private final List<Control> messages = new ArrayList<>();
    private final ControlBatch batch = new ControlBatch(new ControlBus() {
        @Override
        public AutoCloseable register(Role role, int index, Predicate<Control> receiver) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void send(Role role, int index, Control message) {
            said.add(role.address(index));
            messages.add(message);
        }

        @Override
        public void broadcast(Role role, Control message) {
            said.add("every " + role.component());
            messages.add(message);
        }
    });

    @Test
    void whatIsForOneReceiverGoesTogetherAndOneMessageAsItIs() {
        Control.Seal first = new Control.Seal(1);
        Control.Seal second = new Control.Seal(2);
        batch.send(Role.INDEXER, 3, first);
        batch.broadcast(Role.COORDINATOR, first);
        batch.send(Role.INDEXER, 4, first);
        batch.send(Role.INDEXER, 3, second);
        assertThat(said).as("before the flush").isEmpty();
        batch.flush();
        assertThat(said).containsExactly(Role.INDEXER.address(3), "every coordinator", Role.INDEXER.address(4));
        assertThat(messages).containsExactly(new Control.Bundle(List.of(first, second)), first, first);
        batch.flush();
        assertThat(said).hasSize(3);
    }

    @Test
    void oneMessageHoldsABoundedNumberOfBytes() {
        int partitions = ControlBatch.MAX_BYTES / Long.BYTES / 2;
        for (int i = 0; i < 5; i++) {
            batch.broadcast(
                    Role.COORDINATOR,
                    new Control.Report(
                            1,
                            i,
                            new Control.Progress(1, 0, new long[partitions], 1, false),
                            new Control.Unflushed(null, 0),
                            0,
                            new Control.Memory(0, 1, 0),
                            Control.Templates.NONE));
        }
        assertThat(messages).as("two of three fill it").hasSize(2);
        batch.flush();
        assertThat(messages).hasSize(3).last().isInstanceOf(Control.Report.class);
    }
}
