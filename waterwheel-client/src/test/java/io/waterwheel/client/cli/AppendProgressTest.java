package io.waterwheel.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AppendProgressTest {
    @Test
    void saysHowFastAndHowLongStill() {
        assertThat(AppendProgress.line(120_000, 0, 4, 250, 1000, "tuples"))
                .isEqualTo("120,000 tuples, 30,000 a second, 25 %, 0:12 left");
        assertThat(AppendProgress.line(10, 3, 100, 1, 2, "records"))
                .isEqualTo("10 records, 0 a second, 3 rejected, 50 %, 1:40 left");
        assertThat(AppendProgress.line(10, 0, 1, 5, -1, "records")).isEqualTo("10 records, 10 a second");
    }

    @Test
    void aPaceIsKept() {
        long begin = System.nanoTime();
        Pace pace = new Pace(1000);
        for (int i = 0; i <= 100; i++) {
            pace.next();
        }
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
    }
}
