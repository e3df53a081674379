package io.waterwheel.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class StallNoticeTest {
    private static final String FULL = "DISK_FULL: the disk of /data has 1.0 MiB free";

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final AtomicReference<String> status = new AtomicReference<>("no streams\n");
    private final AtomicInteger asked = new AtomicInteger();
    private final StallNotice notice = new StallNotice(new PrintStream(said, true, UTF_8), () -> {
        asked.incrementAndGet();
        return status.get();
    });

    private String said() {
        String text = said.toString(UTF_8);
        said.reset();
        return text;
    }

    private void lookIn(long seconds) {
        notice.look(System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void saysOnceThatItWaitsForTheDiskAndOnceThatItGoesOn() {
        status.set(FULL + "; what comes is indexed\nflights: 3 tuples\n");
        notice.during(() -> {
            lookIn(1);
            assertThat(asked).as("a moment is no stall").hasValue(0);
            lookIn(3);
            lookIn(4);
            assertThat(said())
                    .isEqualTo("the server takes no records now, waiting: " + FULL + "; what comes is indexed"
                            + System.lineSeparator());
            assertThat(asked).hasValue(1);
        });
        lookIn(5);
        lookIn(6);
        assertThat(said()).isEqualTo("the server takes records again: going on" + System.lineSeparator());
        // Full a second time.
        notice.during(() -> lookIn(9));
        assertThat(said()).startsWith("the server takes no records now, waiting: " + FULL);
    }

    @Test
    void saysNothingOfOtherStallsNorOfAServerThatIsAway() {
        notice.during(() -> lookIn(3));
        assertThat(said()).isEmpty();
        StallNotice away = new StallNotice(new PrintStream(said, true, UTF_8), () -> {
            throw new WaterwheelException(ErrorCode.SERVER_UNREACHABLE, "away");
        });
        away.during(() -> away.look(System.nanoTime() + TimeUnit.SECONDS.toNanos(3)));
        assertThat(said()).isEmpty();
    }
}
