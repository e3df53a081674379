package io.waterwheel.cli.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.output.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AppendProgressTest {
    @Test
    void saysHowFastAndHowLongStill() {
        assertThat(AppendProgress.line(120_000, 120_000, 0, 4, 250, 1000, "tuples"))
                .isEqualTo("120,000 tuples, 30,000 a second, 25 %, 0:12 left");
        assertThat(AppendProgress.line(1000, 10, 3, 100, 1, 2, "records"))
                .isEqualTo("1,000 records, 0 a second, 3 rejected, 50 %, 1:40 left");
        assertThat(AppendProgress.line(10, 10, 0, 1, 5, -1, "records")).isEqualTo("10 records, 10 a second");
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

    @Test
    void anIdleTimeIsNotCaughtUpOn() {
        long[] now = {0};
        Pace pace = new Pace(10, () -> now[0]);
        pace.next();
        assertThat(pace.nanosLeft()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
        now[0] = TimeUnit.MINUTES.toNanos(1);
        assertThat(pace.nanosLeft()).isZero();
        pace.next();
        assertThat(pace.nanosLeft()).isBetween(1L, TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(new Pace(1e-300).nanosLeft()).isZero();
        assertThat(Pace.FREE.nanosLeft()).isZero();
    }

    @Test
    void theFirstRejectionsOfEachRunAreShown() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(err, true, StandardCharsets.UTF_8);
        Terminal terminal = new Terminal(InputStream.nullInputStream(), print, print, false);
        Rejections rejections = new Rejections(print, OptionalLong.of(100));
        AppendProgress progress = new AppendProgress(terminal, "records", () -> 0, -1);
        rejections.of("f");
        rejections.before(100);
        assertThat(rejections.tooMany()).isFalse();
        rejections.add(7, 7, "why", progress);
        rejections.add(8, 9, "why", progress);
        assertThat(rejections.tooMany()).isTrue();
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("f, line 7: why\nf, lines 8 to 9: why\n");
    }

    @Test
    void progressIsForWhoWatchesStandardError() {
        for (boolean errWatched : new boolean[] {false, true}) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            PrintStream print = new PrintStream(err, true, StandardCharsets.UTF_8);
            Terminal terminal = new Terminal(InputStream.nullInputStream(), print, print, !errWatched, errWatched);
            AppendProgress progress = new AppendProgress(terminal, "records", () -> 0, -1);
            // The first line is due after 200 ms.
            long patience = errWatched ? TimeUnit.SECONDS.toNanos(30) : TimeUnit.MILLISECONDS.toNanos(300);
            long begin = System.nanoTime();
            while (err.size() == 0 && System.nanoTime() - begin < patience) {
                progress.at(1, 0);
            }
            assertThat(err.size() > 0).isEqualTo(errWatched);
        }
    }
}
