package io.waterwheel.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class RetentionTest {
    @Test
    void readsWhatItWrites() {
        for (String text : new String[] {"off", "1 s", "90 s", "5 min", "7 h", "36 h", "30 d", "36500 d"}) {
            assertThat(Retention.parse(text).toString()).isEqualTo(text);
        }
        assertThat(Retention.parse("60s")).hasToString("1 min");
        assertThat(Retention.parse(" 48  h")).hasToString("2 d");
        assertThat(Retention.parse("30d").millis()).isEqualTo(30L * 24 * 3_600_000);
    }

    @Test
    void refusesWhatIsNone() {
        for (String text : new String[] {"", "30", "d", "1.5 d", "-1 d", "30 days", "OFF", "12345678901 s"}) {
            assertThatThrownBy(() -> Retention.parse(text))
                    .hasMessage("retention: expected off, or a whole number and a unit of s, min, h or d, such as"
                            + " '30 d', got '" + text + "'");
        }
        for (String text : new String[] {"0 s", "0 d", "36501 d", "9999999999 d"}) {
            assertThatThrownBy(() -> Retention.parse(text))
                    .hasMessage("retention: expected 1 s to 36500 d, got '" + text + "'");
        }
        assertThatThrownBy(() -> new Retention(1_500)).hasMessageContaining("expected whole seconds");
    }

    @Test
    void theHorizonLiesBeforeTheEarlierOfClockAndNewestTuple() {
        Retention minute = Retention.parse("1 min");
        assertThat(minute.horizon(1_000_000, 900_000)).isEqualTo(840_000);
        assertThat(minute.horizon(900_000, 1_000_000)).isEqualTo(840_000);
        assertThat(minute.horizon(0, Long.MIN_VALUE)).isEqualTo(Retention.NO_HORIZON);
        assertThat(minute.horizon(0, Long.MAX_VALUE)).isEqualTo(-60_000);
        assertThat(Retention.OFF.horizon(900_000, 900_000)).isEqualTo(Retention.NO_HORIZON);
    }
}
