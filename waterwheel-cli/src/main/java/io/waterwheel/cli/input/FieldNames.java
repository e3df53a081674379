package io.waterwheel.cli.input;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Names of fields made of what files call their columns. */
public final class FieldNames {
    private static final int LONGEST = 64;

    private FieldNames() {}

    /**
     * The names of all columns, in their order: as {@link #of(String)} makes them, {@code c1} for the first when it has
     * none, and with a number behind where two would be the same but for upper and lower case.
     */
    public static List<String> of(List<String> columns) {
        return apart(columns, true);
    }

    /** As {@link #of(List)} made them of letters that English lacks once: streams have such names. */
    static List<String> before(List<String> columns) {
        return apart(columns, false);
    }

    private static List<String> apart(List<String> columns, boolean latin) {
        List<String> names = new ArrayList<>();
        Set<String> taken = new HashSet<>();
        // Where the last name of the same letters ended: of thousands that are alike each would try all before.
        Map<String, Integer> numbers = new HashMap<>();
        for (int c = 0; c < columns.size(); c++) {
            String column = columns.get(c);
            String own = latin ? of(column) : plain(column);
            // Of a name in Chinese nothing is left: its place tells more than an underscore.
            boolean lost = latin && own.matches("_+") && column.codePoints().anyMatch(Character::isLetter);
            String base = column.isBlank() || lost ? "c" + (c + 1) : own;
            String name = base;
            String letters = base.toLowerCase(Locale.ROOT);
            int n = numbers.getOrDefault(letters, 2);
            for (; !taken.add(name.toLowerCase(Locale.ROOT)); n++) {
                String number = "_" + n;
                name = base.substring(0, Math.min(base.length(), LONGEST - number.length())) + number;
            }
            numbers.put(letters, n);
            names.add(name);
        }
        return names;
    }

    /** The names that are, or were once, made of one by its letters; none where it has none in English. */
    static Set<String> made(String column) {
        Set<String> names = new HashSet<>();
        for (String name : List.of(of(column), plain(column))) {
            if (name.codePoints().anyMatch(Character::isLetter)) {
                names.add(name);
            }
        }
        return names;
    }

    /**
     * The name in letters that any keyboard has: {@code Stückzahl} is {@code Stueckzahl}; what no field may have in its
     * name becomes underscores: {@code Start date} is {@code Start_date}.
     */
    static String of(String column) {
        return plain(Letters.latin(column));
    }

    private static String plain(String column) {
        String name = column.strip().replaceAll("[^A-Za-z0-9_]+", "_");
        if (name.isEmpty() || Character.isDigit(name.charAt(0))) {
            name = "_" + name;
        }
        return name.length() > LONGEST ? name.substring(0, LONGEST) : name;
    }
}
