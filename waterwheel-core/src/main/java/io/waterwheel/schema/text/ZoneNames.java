package io.waterwheel.schema.text;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the name of a zone behind a time: a region such as {@code Europe/Berlin}, whose clocks show the time, or a
 * short name such as {@code CET}, which is an offset, in summer too. Of short names those have one meaning that all
 * regions which {@code java.time} calls so have at one offset. {@code CST} is used in America, China and Cuba,
 * {@code PST} in the Philippines too: such names, and those of their summer times, are read where a zone is told, as
 * what they are there. One thread.
 */
public final class ZoneNames {
    private static final int MINUTES = 60;
    private static final int LONGEST = 64;
    private static final int LONGEST_SHORT = 5;

    /** Minutes east of Greenwich. A table, and not java.time's names: these are others in other JDKs. */
    static final Map<String, Integer> OFFSETS = Map.ofEntries(
            Map.entry("UT", 0),
            Map.entry("WET", 0),
            Map.entry("WEST", 60),
            Map.entry("CET", 60),
            Map.entry("CEST", 120),
            Map.entry("MEZ", 60),
            Map.entry("MESZ", 120),
            Map.entry("EET", 120),
            Map.entry("EEST", 180),
            Map.entry("SAST", 120),
            Map.entry("EAT", 180),
            Map.entry("EST", -300),
            Map.entry("EDT", -240),
            Map.entry("MST", -420),
            Map.entry("MDT", -360),
            Map.entry("AKST", -540),
            Map.entry("AKDT", -480),
            Map.entry("HST", -600),
            Map.entry("JST", 540),
            Map.entry("KST", 540),
            Map.entry("AWST", 480),
            Map.entry("ACST", 570),
            Map.entry("ACDT", 630),
            Map.entry("AEST", 600),
            Map.entry("AEDT", 660),
            Map.entry("NZST", 720),
            Map.entry("NZDT", 780));

    /** Minutes east of Greenwich without summer time, and what that adds. */
    private record Clock(int standard, int saving) {}

    /** Names of several meanings, no two of which have the same standard time. */
    static final Map<String, List<Clock>> SEVERAL = Map.ofEntries(
            Map.entry("PST", List.of(new Clock(-480, 0), new Clock(480, 0))),
            Map.entry("PDT", List.of(new Clock(-480, 60))),
            Map.entry("CST", List.of(new Clock(-360, 0), new Clock(-300, 0), new Clock(480, 0))),
            Map.entry("CDT", List.of(new Clock(-360, 60), new Clock(-300, 60))),
            Map.entry("AST", List.of(new Clock(-240, 0), new Clock(180, 0))),
            Map.entry("ADT", List.of(new Clock(-240, 60))),
            Map.entry("NST", List.of(new Clock(-210, 0))),
            Map.entry("NDT", List.of(new Clock(-210, 60))),
            Map.entry("BST", List.of(new Clock(0, 60), new Clock(360, 0), new Clock(660, 0))),
            Map.entry("IST", List.of(new Clock(330, 0), new Clock(120, 0), new Clock(0, 60))),
            Map.entry("IDT", List.of(new Clock(120, 60))));

    /** In a winter and a summer of either half of the earth. */
    private static final List<Instant> SEASONS =
            List.of(Instant.parse("2022-01-15T00:00:00Z"), Instant.parse("2022-07-15T00:00:00Z"));

    /** The regions of the tz database. */
    private static final Set<String> REGIONS = ZoneId.getAvailableZoneIds().stream()
            .filter(id -> id.indexOf('/') > 0)
            .collect(Collectors.toUnmodifiableSet());

    /** What a name stands for: an offset or a region. */
    private record Meaning(int offsetSeconds, @Nullable ZoneId region) {}

    /** The name that was read last, for most rows have the same. */
    private byte[] last = {};

    private @Nullable Meaning lastMeaning;
    private final Map<String, Meaning> known = new HashMap<>();
    private final @Nullable ZoneId home;
    private boolean odd;

    /** @param home where names of several meanings are used; null: they are not read */
    public ZoneNames(@Nullable ZoneId home) {
        this.home = home;
    }

    /** Whether a word is the name of a zone with one meaning, wherever it is used. */
    public static boolean isKnown(String name) {
        return OFFSETS.containsKey(name) || REGIONS.contains(name);
    }

    /** Whether a word is the name of a zone with several meanings, one of which it has there. */
    public static boolean isKnownIn(@Nullable ZoneId home, String name) {
        return there(home, name) != null;
    }

    /** Minutes east of Greenwich of a name of several meanings there; null where it has none. */
    private static @Nullable Integer there(@Nullable ZoneId home, String name) {
        List<Clock> clocks = SEVERAL.get(name);
        if (home == null || clocks == null) {
            return null;
        }
        // Not by what java.time takes for summer time: of Ireland it depends on the JDK.
        int[] offsets = SEASONS.stream()
                .mapToInt(season -> home.getRules().getOffset(season).getTotalSeconds() / MINUTES)
                .sorted()
                .toArray();
        for (Clock clock : clocks) {
            if (clock.standard == offsets[0] && (clock.saving == 0 || clock.standard + clock.saving == offsets[1])) {
                return clock.standard + clock.saving;
            }
        }
        return null;
    }

    /** Forgets whether a name was {@link #odd}. */
    public void forget() {
        odd = false;
    }

    /** Whether what was read last may be the name of a zone, and has no one meaning. */
    public boolean odd() {
        return odd;
    }

    /**
     * Reads a name.
     *
     * @param at its first byte
     * @param to behind the last byte that may belong to it
     * @return behind its last byte; -1 where no name stands there, or one without one meaning
     */
    public int read(byte[] bytes, int at, int to) {
        int end = at;
        boolean region = false;
        while (end < to && isOfName(bytes[end], region)) {
            region |= bytes[end] == '/';
            end++;
        }
        if (end == at || end - at > LONGEST || !isLetter(bytes[at])) {
            return -1;
        }
        if (!Arrays.equals(bytes, at, end, last, 0, last.length)) {
            last = Arrays.copyOfRange(bytes, at, end);
            lastMeaning = meaning(new String(last, StandardCharsets.ISO_8859_1));
        }
        odd = lastMeaning == null && (region || isShortName(bytes, at, end));
        return lastMeaning == null ? -1 : end;
    }

    private @Nullable Meaning meaning(String name) {
        // Bounded: what is no name is not kept.
        return isKnown(name) || isKnownIn(home, name) ? known.computeIfAbsent(name, this::of) : null;
    }

    private Meaning of(String name) {
        Integer minutes = OFFSETS.getOrDefault(name, there(home, name));
        return minutes != null ? new Meaning(minutes * MINUTES, null) : new Meaning(0, ZoneId.of(name));
    }

    /** Capitals alone, and not AM or PM: another word behind a time is no name of a zone. */
    private static boolean isShortName(byte[] bytes, int from, int to) {
        if (to - from == 2 && bytes[to - 1] == 'M' && (bytes[from] == 'A' || bytes[from] == 'P')) {
            return false;
        }
        for (int i = from; i < to; i++) {
            if (bytes[i] < 'A' || bytes[i] > 'Z') {
                return false;
            }
        }
        return to - from <= LONGEST_SHORT;
    }

    private static boolean isLetter(byte c) {
        return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    }

    /** {@code Etc/GMT+5}, {@code America/Port-au-Prince}; short names have letters alone. */
    private static boolean isOfName(byte c, boolean region) {
        return isLetter(c) || c == '/' || c == '_' || (region && (c == '-' || c == '+' || (c >= '0' && c <= '9')));
    }

    /** Of the name that was read last: seconds east of Greenwich, where it is no region. */
    public int offsetSeconds() {
        Meaning meaning = lastMeaning;
        return meaning == null ? 0 : meaning.offsetSeconds;
    }

    /** Of the name that was read last; null where it is an offset. */
    public @Nullable ZoneId region() {
        Meaning meaning = lastMeaning;
        return meaning == null ? null : meaning.region;
    }
}
