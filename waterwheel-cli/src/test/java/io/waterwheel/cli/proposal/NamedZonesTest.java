package io.waterwheel.cli.proposal;

import static io.waterwheel.cli.proposal.ForeignFilesTest.millis;
import static io.waterwheel.cli.proposal.ForeignFilesTest.taken;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.cli.proposal.ForeignFilesTest.Taken;
import io.waterwheel.schema.RecordFormat;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Files whose times name their zone: what is proposed reads them, or says how a person does. */
class NamedZonesTest {
    @Test
    void namesOfOneMeaning() throws Exception {
        Taken abbreviated = taken("at,v\n2024-01-02 03:04:05 CET,1\n2024-07-02 03:04:05 CEST,2\n");
        assertThat(abbreviated.column("at"))
                .as(abbreviated.yaml())
                .containsExactly(millis("2024-01-02T02:04:05Z"), millis("2024-07-02T01:04:05Z"));
        assertThat(abbreviated.yaml())
                .contains("# CET is an offset, the same in summer and in winter")
                .doesNotContain("zone: UTC");
        Taken region = taken("at,v\n2024-07-02 03:04:05.250 Europe/Berlin,1\n2024-07-02 24:00 Asia/Kolkata,2\n");
        assertThat(region.column("at"))
                .as(region.yaml())
                .containsExactly(millis("2024-07-02T01:04:05.250Z"), millis("2024-07-02T18:30:00Z"));
        assertThat(region.yaml()).doesNotContain("is an offset");
        Taken unix = taken("at,v\nTue Jul  2 03:04:05 EDT 2024,1\nWed Jul  3 03:04:05 America/New_York 2024,2\n");
        assertThat(unix.column("at"))
                .as(unix.yaml())
                .containsExactly(millis("2024-07-02T07:04:05Z"), millis("2024-07-03T07:04:05Z"));
    }

    /** What is typed as the message says reads them. */
    @Test
    void namesOfSeveralMeanings() throws Exception {
        String file = "at,v\n2024-01-02 03:04:05 CST,1\n2024-01-03 03:04:05 CST,2\n";
        assertThatThrownBy(() -> taken(file))
                .hasMessageContaining("no column can be the time")
                .hasMessageContaining(". Of at, 0 of 2 are times; others, whose zone has no one meaning:"
                        + " 2024-01-02 03:04:05 CST (line 2), 2024-01-03 03:04:05 CST (line 3)."
                        + " --zone says where the names are used, as CST and CDT in America/Chicago");
        FileFacts facts = new FileFacts();
        facts.times = "yyyy-MM-dd HH:mm:ss 'CST'";
        facts.zone = ZoneId.of("America/Chicago");
        Taken quoted = taken(file.getBytes(UTF_8), RecordFormat.CSV, facts);
        assertThat(quoted.refused()).isEmpty();
        assertThat(quoted.column("at"))
                .as(quoted.yaml())
                .isEqualTo(List.of(millis("2024-01-02T09:04:05Z"), millis("2024-01-03T09:04:05Z")));
        facts.times = null;
        facts.zone = ZoneId.of("Asia/Kolkata");
        assertThatThrownBy(() -> taken(file.getBytes(UTF_8), RecordFormat.CSV, facts))
                .hasMessageContaining("whose zone has no one meaning in Asia/Kolkata: 2024-01-02 03:04:05 CST");
    }

    /** The hour that comes twice when the clocks are put back is told apart by the names. */
    @Test
    void theZoneSaysWhichIsMeant() throws Exception {
        FileFacts facts = new FileFacts();
        facts.zone = ZoneId.of("America/Los_Angeles");
        String iso = "at,v\n2024-11-03 01:30:00 PDT,1\n2024-11-03 01:30:00 PST,2\n2024-11-03 12:00:00Z,3\n";
        String american = "at,v\n03/Nov/2024:01:30:00 PDT,1\n03/Nov/2024:01:30:00 PST,2\n03/Nov/2024:12:00:00 UTC,3\n";
        String unix = """
                at,v
                Sun Nov  3 01:30:00 PDT 2024,1
                Sun Nov  3 01:30:00 PST 2024,2
                Sun Nov  3 12:00:00 UTC 2024,3
                """;
        for (String file : List.of(iso, american, unix)) {
            Taken said = taken(file.getBytes(UTF_8), RecordFormat.CSV, facts);
            assertThat(said.refused()).as(said.yaml()).isEmpty();
            assertThat(said.column("at"))
                    .as(said.yaml())
                    .isEqualTo(List.of(
                            millis("2024-11-03T08:30:00Z"),
                            millis("2024-11-03T09:30:00Z"),
                            millis("2024-11-03T12:00:00Z")));
        }
        Taken nameless = taken(
                "2024-11-03 01:30:00 PDT,a\n2024-11-03 01:30:00 PST,b\n".getBytes(UTF_8), RecordFormat.CSV, facts);
        assertThat(nameless.column("c1"))
                .as(nameless.yaml())
                .isEqualTo(List.of(millis("2024-11-03T08:30:00Z"), millis("2024-11-03T09:30:00Z")));
        facts.times = "M/d/yyyy H:mm XXX";
        Taken apart = taken(
                "day,time,v\n11/3/2024,1:30 PDT,1\n11/3/2024,1:30 PST,2\n".getBytes(UTF_8), RecordFormat.CSV, facts);
        assertThat(apart.column("day_time"))
                .as(apart.yaml())
                .isEqualTo(List.of(millis("2024-11-03T08:30:00Z"), millis("2024-11-03T09:30:00Z")));
    }
}
