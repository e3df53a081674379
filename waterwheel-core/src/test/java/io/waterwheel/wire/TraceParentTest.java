package io.waterwheel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** What counts as a traceparent is what the specification says. */
final class TraceParentTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";
    private static final String HEADER = "00-" + TRACE + "-" + SPAN + "-01";

    @Test
    void aHeaderIsReadAndWritten() {
        TraceParent read = TraceParent.parse(HEADER);
        assertThat(read).isEqualTo(new TraceParent(TRACE, SPAN, "01")).hasToString(HEADER);
        assertThat(TraceParent.parse("01" + HEADER.substring(2))).hasToString(HEADER);
        assertThat(TraceParent.parse("cc" + HEADER.substring(2) + "-what the future brings"))
                .hasToString(HEADER);
        assertThat(read.child(255)).hasToString("00-" + TRACE + "-00000000000000ff-01");
        assertThat(read.child(Long.MIN_VALUE)).hasToString("00-" + TRACE + "-8000000000000000-01");
    }

    @Test
    void whatIsNoneIsNotThere() {
        for (String wrong : new String[] {
            null,
            "",
            HEADER + "-more",
            HEADER + "0",
            "ff" + HEADER.substring(2),
            HEADER.toUpperCase(java.util.Locale.ROOT),
            "00-" + "0".repeat(32) + "-" + SPAN + "-01",
            "00-" + TRACE + "-" + "0".repeat(16) + "-01",
            " " + HEADER,
            "01" + HEADER.substring(2) + "x",
            "01" + HEADER.substring(2) + "-" + "x".repeat(1000)
        }) {
            assertThat(TraceParent.parse(wrong)).as("%s", wrong).isNull();
        }
    }

    /** One character of a header changed: it is another header, or none, and nothing else. */
    @Test
    void damageIsAnotherHeaderOrNone() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            StringBuilder text = new StringBuilder(HEADER);
            text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(256));
            TraceParent read = TraceParent.parse(text.toString());
            if (read != null) {
                int flags = text.length() - 2;
                boolean sampled = (Integer.parseInt(text.substring(flags), 16) & 1) == 1;
                assertThat(read.toString().substring(2)).isEqualTo(text.substring(2, flags) + (sampled ? "01" : "00"));
            }
        }
    }
}
