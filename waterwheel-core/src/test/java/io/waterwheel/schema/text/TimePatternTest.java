package io.waterwheel.schema.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimePatternTest {
    private static final List<String> PATTERNS = List.of(
            "dd.MM.yyyy HH:mm:ss",
            "d/M/yyyy H:mm",
            "MM/dd/yyyy hh:mm:ss a",
            "M/d/yy h:mm a",
            "yyyyMMddHHmmss",
            "yyyyMMddHHmmssSSS",
            "yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSS",
            "dd/MMM/yyyy:HH:mm:ss XXX",
            "dd MMM yyyy",
            "EEE, d MMM yyyy HH:mm:ss XXX",
            "EEE MMM ppd HH:mm:ss yyyy",
            "yyyy/MM/dd");

    /** As java.time formats them. */
    @Test
    void readsWhatAFormatterWrites() {
        long seed = Long.getLong("seed", 1);
        Random random = new Random(seed);
        for (String pattern : PATTERNS) {
            DateTimeFormatter formatter = DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
            TimePattern.Reader reader = TimePattern.of(pattern).reader(null);
            for (int i = 0; i < 200; i++) {
                OffsetDateTime time = OffsetDateTime.of(
                        LocalDateTime.ofEpochSecond(
                                random.nextInt(3_000_000_00) * 10L, random.nextInt(1_000_000_000), ZoneOffset.UTC),
                        ZoneOffset.ofTotalSeconds((random.nextInt(36) - 18) * 1800));
                String text = formatter.format(time);
                byte[] bytes = ("x" + text + "y").getBytes(StandardCharsets.UTF_8);
                String as = pattern + ": " + text + ", seed " + seed;
                assertThat(reader.read(bytes, 1, bytes.length - 1)).as(as).isTrue();
                assertThat(reader.year()).as(as).isEqualTo(time.getYear());
                assertThat(reader.month()).as(as).isEqualTo(time.getMonthValue());
                assertThat(reader.day()).as(as).isEqualTo(time.getDayOfMonth());
                boolean hours = pattern.contains("H") || pattern.contains("h");
                assertThat(reader.hour()).as(as).isEqualTo(hours ? time.getHour() : 0);
                assertThat(reader.minute()).as(as).isEqualTo(hours ? time.getMinute() : 0);
                assertThat(reader.second()).as(as).isEqualTo(pattern.contains("s") ? time.getSecond() : 0);
                int kept = pattern.endsWith("SSSSSSSSS") ? 1 : pattern.endsWith("SSS") ? 1_000_000 : 1_000_000_000;
                assertThat(reader.nanos()).as(as).isEqualTo(time.getNano() / kept * kept);
                assertThat(reader.offsetSeconds())
                        .as(as)
                        .isEqualTo(pattern.contains("X") ? time.getOffset().getTotalSeconds() : 0);
                assertThat(reader.read(bytes, 1, bytes.length)).as(as).isFalse();
                assertThat(reader.read(bytes, 0, bytes.length - 1)).as(as).isFalse();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dd.MM.yyyy|7.10.2021",
                "d.M.yyyy|007.10.2021",
                "dd.MM.yyyy HH:mm|07.10.2021T14:00",
                "dd.MM.yyyy HH:mm|07.10.2021 14:0",
                "MM/dd/yyyy hh:mm a|10/07/2021 13:00 PM",
                "MM/dd/yyyy hh:mm a|10/07/2021 01:00 XM",
                "dd MMM yyyy|07 Okt 2021",
                "dd/MM/yyyy XXX|07/10/2021 CST",
                "EEE, d MMM yyyy|Wed, 07 Oct 2021",
                "EEE, d MMM yyyy|Don, 07 Oct 2021",
                "MMM ppd yyyy|Oct 7 2021",
                "MMM ppd yyyy|Oct   7 2021",
                "d.M.yyyy h a|7.10.2021 7 a.m"
            })
    void refusesWhatIsWrittenOtherwise(String pattern, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertThat(TimePattern.of(pattern).reader(null).read(bytes, 0, bytes.length))
                .isFalse();
    }

    /** In 2021 the 7th of October was a Thursday, in 1900 the 1st of March. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "EEE, d MMM yyyy|Thu, 07 Oct 2021|7",
                "EEE MMM ppd yyyy|thu OCT  7 2021|7",
                "EEE MMM ppd yyyy|Sat Oct 30 2021|30",
                "EEE d.M.yyyy|Thu 1.3.1900|1",
                "EEE d.M.yyyy|Tue 29.2.2000|29",
                "d.M.yyyy h:mm a|7.10.2021 7:05 p.m.|7",
                "d.M.yyyy h:mm a|7.10.2021 7:05 A.M.|7"
            })
    void readsWeekdaysAndPaddedDays(String pattern, String text, int day) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        TimePattern.Reader reader = TimePattern.of(pattern).reader(null);
        assertThat(reader.read(bytes, 0, bytes.length)).isTrue();
        assertThat(reader.day()).isEqualTo(day);
        assertThat(reader.hour()).isEqualTo(text.contains("p.m.") ? 19 : text.contains("A.M.") ? 7 : 0);
    }

    /** Each minute and second of a day, written as a number. */
    @Test
    void readsTimesOfDayThatAreNumbers() {
        TimePattern.Reader minutes = TimePattern.of("yyyyMMdd Hmm").reader(null);
        TimePattern.Reader seconds = TimePattern.of("yyyy-MM-dd Hmmss.SSS").reader(null);
        for (int second = 0; second < 86_400; second++) {
            int number = second / 3600 * 10_000 + second / 60 % 60 * 100 + second % 60;
            if (second % 60 == 0) {
                byte[] bytes = ("20240131 " + number / 100).getBytes(StandardCharsets.UTF_8);
                assertThat(minutes.read(bytes, 0, bytes.length)).isTrue();
                assertThat(minutes.hour() * 60 + minutes.minute()).isEqualTo(second / 60);
            }
            byte[] bytes = ("2024-01-31 " + number + ".250").getBytes(StandardCharsets.UTF_8);
            assertThat(seconds.read(bytes, 0, bytes.length)).isTrue();
            assertThat(seconds.hour() * 3600 + seconds.minute() * 60 + seconds.second())
                    .isEqualTo(second);
            assertThat(seconds.nanos()).isEqualTo(250_000_000);
        }
        for (String none : List.of("20240131 ", "20240131 12345", "20240131 9:3")) {
            byte[] bytes = none.getBytes(StandardCharsets.UTF_8);
            assertThat(minutes.read(bytes, 0, bytes.length)).as(none).isFalse();
        }
        byte[] bytes = "20240131 0960".getBytes(StandardCharsets.UTF_8);
        assertThat(minutes.read(bytes, 0, bytes.length) && minutes.isOfDay()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "HH:mm|it needs a year, a month and a day",
                "dd.MM.yyyy hh:mm|hours are HH, or hh with a",
                "dd.MM.yyyy HH:mm a|hours are HH, or hh with a",
                "dd.MM.yyyyy|'yyyyy' is no part of it",
                "EEEE dd.MM.yyyy|'EEEE' is no part of it",
                "ppM.dd.yyyy|'pp' is no part of it",
                "dd.MM.yyyy d|'d' is there twice",
                "dd.MM.yyyy Hmms|a number follows the one that is a time of day at once",
                "dd.MM.yyyy Hmmm|'mmm' is no part of it",
                "dd.MM.yyyy HH Hmm|a part of 'Hmm' is there twice",
                "dd.MM.yyyy Hmm mm|'m' is there twice",
                "yyyyMd|'M' takes one digit or two, and a number follows at once",
                "dd.MM.yyyy 'at|a quote is not closed, or empty"
            })
    void saysWhatIsWrongWithAPattern(String pattern, String why) {
        assertThatThrownBy(() -> TimePattern.of(pattern))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("times: expected a pattern such as dd.MM.yyyy HH:mm:ss, got '" + pattern + "': " + why);
    }
}
