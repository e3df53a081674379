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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the name of a zone behind a time: a region such as {@code Europe/Berlin}, whose clocks show the time, or a
 * short name such as {@code CET}, which is an offset, in summer too. Of short names those have one meaning that all
 * regions which {@code java.time} calls so have at one offset. {@code CST} is used in America, China and Cuba,
 * {@code PST} in the Philippines too: such names, and those of their summer times, are read where a region is told that
 * uses them, as what they mean there. One thread.
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

    /**
     * What a name means in some regions.
     *
     * @param regions their beginnings
     * @param standard minutes east of Greenwich, without summer time
     * @param saving what summer time adds; 0: the name is that of the standard time
     */
    private record Use(List<String> regions, int standard, int saving) {}

    private static final List<String> NORTH_AMERICA =
            List.of("America/", "Atlantic/Bermuda", "US/", "Canada/", "Mexico/");
    private static final List<String> CUBA = List.of("America/Havana", "Cuba");
    private static final List<String> CHINA = List.of(
            "Asia/Shanghai",
            "Asia/Chongqing",
            "Asia/Chungking",
            "Asia/Harbin",
            "Asia/Taipei",
            "Asia/Macau",
            "Asia/Macao",
            "PRC",
            "ROC");
    private static final List<String> ARABIA =
            List.of("Asia/Riyadh", "Asia/Kuwait", "Asia/Baghdad", "Asia/Qatar", "Asia/Bahrain", "Asia/Aden");
    private static final List<String> BRITAIN =
            List.of("Europe/London", "Europe/Belfast", "Europe/Guernsey", "Europe/Isle_of_Man", "Europe/Jersey", "GB");
    private static final List<String> ISRAEL = List.of("Asia/Jerusalem", "Asia/Tel_Aviv", "Israel");

    /**
     * Names that have several meanings, or whose other half has, by the regions that use them. A region has at most one
     * of the meanings: no two for the same regions have the same standard time.
     */
    private static final Map<String, List<Use>> BY_REGION = Map.ofEntries(
            Map.entry("PST", List.of(new Use(NORTH_AMERICA, -480, 0), new Use(List.of("Asia/Manila"), 480, 0))),
            Map.entry("PDT", List.of(new Use(NORTH_AMERICA, -480, 60))),
            Map.entry("CST", List.of(new Use(NORTH_AMERICA, -360, 0), new Use(CUBA, -300, 0), new Use(CHINA, 480, 0))),
            Map.entry("CDT", List.of(new Use(NORTH_AMERICA, -360, 60), new Use(CUBA, -300, 60))),
            Map.entry("AST", List.of(new Use(NORTH_AMERICA, -240, 0), new Use(ARABIA, 180, 0))),
            Map.entry("ADT", List.of(new Use(NORTH_AMERICA, -240, 60))),
            Map.entry("NST", List.of(new Use(NORTH_AMERICA, -210, 0))),
            Map.entry("NDT", List.of(new Use(NORTH_AMERICA, -210, 60))),
            Map.entry(
                    "BST",
                    List.of(
                            new Use(BRITAIN, 0, 60),
                            new Use(List.of("Asia/Dhaka", "Asia/Dacca"), 360, 0),
                            new Use(List.of("Pacific/Bougainville"), 660, 0))),
            Map.entry(
                    "IST",
                    List.of(
                            new Use(List.of("Asia/Kolkata", "Asia/Calcutta"), 330, 0),
                            new Use(ISRAEL, 120, 0),
                            new Use(List.of("Europe/Dublin", "Eire"), 0, 60))),
            Map.entry("IDT", List.of(new Use(ISRAEL, 120, 60))));

    /** A winter and a summer of either half of the earth, of two years: some regions changed their clocks between. */
    private static final List<List<Instant>> YEARS = Stream.of("2020", "2024")
            .map(year -> List.of(Instant.parse(year + "-01-15T00:00:00Z"), Instant.parse(year + "-07-15T00:00:00Z")))
            .toList();

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

    /** Whether a word is the name of a zone that is used in a region, though it may mean another elsewhere. */
    public static boolean isUsedIn(@Nullable ZoneId home, String name) {
        return minutesIn(home, name) != null;
    }

    /** Minutes east of Greenwich that a name means in a region; null where it is not used, or no region is told. */
    private static @Nullable Integer minutesIn(@Nullable ZoneId home, String name) {
        if (home == null) {
            return null;
        }
        for (Use use : BY_REGION.getOrDefault(name, List.of())) {
            if (use.regions.stream().anyMatch(home.getId()::startsWith)
                    && YEARS.stream().anyMatch(seasons -> shows(home, use, seasons))) {
                return use.standard + use.saving;
            }
        }
        return null;
    }

    /**
     * Whether the clocks of a region show such a time. Not by what is summer time: of Ireland that depends on the JDK.
     */
    private static boolean shows(ZoneId home, Use use, List<Instant> seasons) {
        int[] offsets = seasons.stream()
                .mapToInt(season -> home.getRules().getOffset(season).getTotalSeconds() / MINUTES)
                .sorted()
                .toArray();
        return use.standard == offsets[0] && (use.saving == 0 || use.standard + use.saving == offsets[1]);
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
        Meaning before = known.get(name);
        return before != null
                ? before
                : isKnown(name) || isUsedIn(home, name) ? known.computeIfAbsent(name, this::of) : null;
    }

    private Meaning of(String name) {
        Integer minutes = OFFSETS.getOrDefault(name, minutesIn(home, name));
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
