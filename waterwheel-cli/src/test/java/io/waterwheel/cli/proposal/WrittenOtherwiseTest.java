package io.waterwheel.cli.proposal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.SchemaFile;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Values in forms of other programs: what they are taken for, or what is said of them. */
class WrittenOtherwiseTest {
    private static String proposed(RecordFormat format, String file) throws IOException {
        InputSource source = Proposals.source("f", file.getBytes(UTF_8));
        String yaml = Proposals.of("f", source, format, List.of(), null).yaml("f");
        LineCheck check = new LineCheck(format, SchemaFile.read("f", yaml).schema());
        String[] lines = file.split("\n");
        for (int line = format == RecordFormat.CSV ? 1 : 0; line < lines.length; line++) {
            assertThat(check.refusal(lines[line].getBytes(UTF_8))).as(yaml).isNull();
        }
        return yaml;
    }

    @Test
    void infinitiesOfOtherProgramsAreNamed() throws Exception {
        assertThat(proposed(RecordFormat.CSV, "at,x\n2026-03-01T10:00:00Z,1.5\n2026-03-01T10:00:01Z,-inf\n"))
                .contains("{name: x, type: string}   # 1 of 2 are infinities, which a number has as Infinity and"
                        + " -Infinity: -inf (line 3)");
        assertThat(proposed(RecordFormat.CSV, "at,x\n2026-03-01T10:00:00Z,inf\n2026-03-01T10:00:01Z,south\n"))
                .contains("{name: x, type: string}\n");
    }

    @Test
    void wholeNumbersBeyond64BitsAreNamed() throws Exception {
        assertThat(proposed(
                        RecordFormat.CSV, "at,x\n2026-03-01T10:00:00Z,18446744073709551615\n2026-03-02T10:00:00Z,7\n"))
                .contains(
                        "{name: x, type: string}   # digits that a number would not keep: 18446744073709551615 (line 2)");
        assertThat(proposed(RecordFormat.CSV, "at,x\n2026-03-01T10:00:00Z,007\n2026-03-02T10:00:00Z,010\n"))
                .contains("{name: x, type: string}\n");
    }

    @Test
    void aCommaMayStandBeforeTheFractionBehindT() throws Exception {
        assertThat(proposed(RecordFormat.CSV, "at;x\n2024-01-01T00:00:00,123;1\n2024-01-01T00:00:01,456;2\n"))
                .contains("{name: at, type: timestamp}", "times: ", "time: at\n");
    }

    @Test
    void aTabIsAWord() throws Exception {
        assertThat(proposed(RecordFormat.CSV, "at\tx\n2024-01-01T00:00:00Z\t1\n2024-01-01T00:00:01Z\t2\n"))
                .contains("  delimiter: tab\n");
    }
}
