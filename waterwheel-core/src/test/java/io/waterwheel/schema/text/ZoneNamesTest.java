package io.waterwheel.schema.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZoneNamesTest {
    /** Kept their summer time in 2022; java.time calls it by the name of their winter. */
    private static final List<String> MISNAMED = List.of("Asia/Amman", "Asia/Damascus");

    /**
     * Of all regions of java.time, in winter and in summer: no two that have a name of the table have another offset.
     */
    @Test
    void shortNamesHaveOneMeaning() {
        Map<String, Set<Integer>> offsets = new HashMap<>();
        for (Locale locale : List.of(Locale.ENGLISH, Locale.GERMAN)) {
            DateTimeFormatter names = DateTimeFormatter.ofPattern("z", locale);
            for (String id : ZoneId.getAvailableZoneIds()) {
                for (int month : List.of(1, 7)) {
                    ZonedDateTime time =
                            LocalDateTime.of(2024, month, 15, 12, 0).atZone(ZoneId.of(id));
                    // Regions alone: CET and EST are regions of java.time too, whose clocks are put forward. In German
                    // java.time 25 gives an American summer the winter's name.
                    boolean named = locale.equals(Locale.ENGLISH) || id.startsWith("Europe/");
                    if (id.indexOf('/') > 0 && named && !MISNAMED.contains(id)) {
                        offsets.computeIfAbsent(names.format(time), name -> new TreeSet<>())
                                .add(time.getOffset().getTotalSeconds());
                    }
                }
            }
        }
        ZoneNames.OFFSETS.forEach((name, minutes) -> {
            if (offsets.containsKey(name)) {
                assertThat(offsets.get(name)).as(name).containsExactly(minutes * 60);
            }
            assertThat(ZoneNames.isKnown(name)).isTrue();
        });
        assertThat(offsets.keySet())
                .contains("CET", "CEST", "MEZ", "MESZ", "EET", "EEST", "EST", "EDT", "MST", "MDT", "JST", "AEST");
        for (String several : List.of("CST", "PST", "IST", "BST")) {
            assertThat(ZoneNames.isKnown(several)).as(several).isFalse();
        }
    }

    /** Not by java.time's names: it calls the past of a region by its present names, and each JDK has others. */
    @ParameterizedTest
    @CsvSource({
        "PST, America/Los_Angeles, -08:00",
        "PDT, America/Los_Angeles, -07:00",
        "PST, America/Vancouver, -08:00",
        "PST, Asia/Manila, +08:00",
        "PDT, Asia/Manila, none",
        "CST, America/Chicago, -06:00",
        "CDT, America/Chicago, -05:00",
        "CST, America/Regina, -06:00",
        "CDT, America/Regina, none",
        "CST, America/Havana, -05:00",
        "CDT, America/Havana, -04:00",
        "CST, Asia/Shanghai, +08:00",
        "CST, Asia/Taipei, +08:00",
        "AST, America/Halifax, -04:00",
        "ADT, America/Halifax, -03:00",
        "AST, Asia/Riyadh, +03:00",
        "NST, America/St_Johns, -03:30",
        "NDT, America/St_Johns, -02:30",
        "BST, Europe/London, +01:00",
        "BST, Asia/Dhaka, +06:00",
        "BST, Pacific/Bougainville, +11:00",
        "IST, Asia/Kolkata, +05:30",
        "IST, Asia/Jerusalem, +02:00",
        "IDT, Asia/Jerusalem, +03:00",
        "IST, Europe/Dublin, +01:00",
        "PST, -08:00, none",
        "CST, America/Chihuahua, -06:00",
        "CDT, America/Mexico_City, -05:00",
        "CST, America/New_York, none",
        "CDT, America/New_York, none",
        "CST, America/Lima, none",
        "PST, Asia/Shanghai, none",
        "PST, Australia/Perth, none",
        "IST, Europe/London, none",
        "IST, Europe/Kyiv, none",
        "AST, Europe/Moscow, none",
        "AST, Africa/Nairobi, none",
        "BST, Africa/Lagos, none",
        "PST, Asia/Kolkata, none",
        "CET, Asia/Kolkata, +01:00",
        "XYZ, Asia/Kolkata, none",
        "PST, , none"
    })
    void namesOfSeveralMeaningsAreThoseOfTheirZone(String name, @Nullable String zone, String offset) {
        ZoneId home = zone == null ? null : ZoneId.of(zone);
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        ZoneNames names = new ZoneNames(home);
        int end = names.read(bytes, 0, bytes.length);
        assertThat(
                        end < 0
                                ? "none"
                                : ZoneOffset.ofTotalSeconds(names.offsetSeconds())
                                        .getId())
                .isEqualTo(offset);
        assertThat(ZoneNames.isKnown(name) || ZoneNames.isUsedIn(home, name)).isEqualTo(end > 0);
    }

    @Test
    void readsANameUpToItsEnd() {
        assertThat(read("CET")).isEqualTo("+3600");
        assertThat(read("EST 2024")).isEqualTo("-18000");
        assertThat(read("Europe/Berlin")).isEqualTo("Europe/Berlin");
        assertThat(read("America/Port-au-Prince,")).isEqualTo("America/Port-au-Prince");
        assertThat(read("Etc/GMT+5")).isEqualTo("Etc/GMT+5");
        for (String odd : List.of("CST", "XYZ", "Europe/Berli", "europe/berlin")) {
            assertThat(read(odd)).as(odd).isEqualTo("odd");
        }
        for (String none : List.of("", "/a", "Cet", "o'clock", "12", "CET-", "EUROPE", "CETX")) {
            assertThat(read(none)).as(none).isIn("none", "odd", "+3600");
        }
        assertThat(read("Cet")).isEqualTo("none");
        assertThat(read("o'clock")).isEqualTo("none");
    }

    /** What a name at the beginning of a text is, read twice. */
    private static String read(String text) {
        byte[] bytes = (" " + text).getBytes(StandardCharsets.UTF_8);
        ZoneNames names = new ZoneNames(null);
        names.read(bytes, 1, bytes.length);
        names.forget();
        int end = names.read(bytes, 1, bytes.length);
        if (end < 0) {
            return names.odd() ? "odd" : "none";
        }
        ZoneId region = names.region();
        return region != null ? region.getId() : String.format(Locale.ROOT, "%+d", names.offsetSeconds());
    }
}
