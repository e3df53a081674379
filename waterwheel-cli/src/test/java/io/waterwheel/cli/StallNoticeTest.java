package io.waterwheel.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

final class StallNoticeTest {
    private static final String FULL = "DISK_FULL: the disk of /data has 1.0 MiB free";

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final AtomicReference<String> status = new AtomicReference<>("no streams\n");
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final StallNotice notice = notice(() -> {
        asked.incrementAndGet();
        return status.get();
    });

    private StallNotice notice(Supplier<String> status) {
        return new StallNotice(new PrintStream(said, true, UTF_8), status, nanos::get);
    }

    private String said() {
        String text = said.toString(UTF_8);
        said.reset();
        return text;
    }

    private void lookAfter(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
        notice.look();
    }

    @Test
    void saysOnceThatItWaitsForTheDiskAndOnceThatItGoesOn() {
        status.set(FULL + "; what comes is indexed\nflights: 3 tuples\n");
        notice.during(() -> {
            lookAfter(1);
            assertThat(asked).as("a moment is no stall").hasValue(0);
            lookAfter(2);
            lookAfter(1);
            assertThat(said())
                    .isEqualTo("the server takes no records now, waiting: " + FULL + "; what comes is indexed"
                            + System.lineSeparator());
            assertThat(asked).hasValue(1);
        });
        lookAfter(1);
        lookAfter(1);
        assertThat(said()).isEqualTo("the server takes records again: going on" + System.lineSeparator());
        // Full a second time.
        notice.during(() -> lookAfter(9));
        assertThat(said()).startsWith("the server takes no records now, waiting: " + FULL);
    }

    @Test
    void saysNothingOfOtherStallsNorOfAServerThatIsAway() {
        notice.during(() -> lookAfter(3));
        assertThat(said()).isEmpty();
        StallNotice away = notice(() -> {
            throw new WaterwheelException(ErrorCode.SERVER_UNREACHABLE, "away");
        });
        away.during(() -> {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(3));
            away.look();
        });
        assertThat(said()).isEmpty();
    }

    @Test
    void doesNotSayThatItGoesOnWhenTheCallFailed() {
        status.set(FULL);
        assertThatThrownBy(() -> notice.during(() -> {
                    lookAfter(3);
                    throw new WaterwheelException(ErrorCode.APPEND_FAILED, "out of time");
                }))
                .isInstanceOf(WaterwheelException.class);
        assertThat(said()).startsWith("the server takes no records now, waiting: ");
        lookAfter(1);
        assertThat(said()).isEmpty();
    }
}
