package io.waterwheel.schema.text;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the name of a zone behind a time: a region such as {@code Europe/Berlin}, whose clocks show the time, or a
 * short name such as {@code CET}, which is an offset, in summer too. Of short names those have one meaning that all
 * regions which {@code java.time} calls so have at one offset. {@code CST} is used in America, China and Cuba,
 * {@code PST} in the Philippines too: they are none, and neither are the names of their summer times. One thread.
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
    private boolean odd;

    /** Whether a word is the name of a zone with one meaning. */
    public static boolean isKnown(String name) {
        return OFFSETS.containsKey(name) || REGIONS.contains(name);
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
        return isKnown(name) ? known.computeIfAbsent(name, ZoneNames::of) : null;
    }

    private static Meaning of(String name) {
        Integer minutes = OFFSETS.get(name);
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
