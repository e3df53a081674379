package io.waterwheel.cli.input;

import java.text.Normalizer;
import java.util.HashMap;
import java.util.Map;

/**
 * Letters of Latin, Greek and Cyrillic script in those of English, so that a name can be read and typed anywhere, also
 * where a shell has no UTF-8: {@code Stückzahl} is {@code Stueckzahl}, {@code Température} is {@code Temperature},
 * {@code Цена} is {@code Tsena}. Others stay as they are. Pure functions.
 */
public final class Letters {
    /** One after the other: a letter, and what stands for it. */
    private static final String PAIRS = "µ u ä ae ö oe ü ue ß ss æ ae ø oe å aa œ oe đ d ð d þ th ł l ı i ħ h ŧ t ŋ ng"
            + " α a β b γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o"
            + " а a б b в v г g ґ g д d е e ё e є ie ж zh з z и i і i ї i й i к k л l м m н n о o п p р r с s т t у u"
            + " ф f х kh ц ts ч ch ш sh щ shch ъ - ы y ь - э e ю yu я ya ђ d ј j љ lj њ nj ћ c џ dz";

    private static final Map<Integer, String> LATIN = new HashMap<>();

    static {
        String[] pairs = PAIRS.split(" ");
        for (int i = 0; i < pairs.length; i += 2) {
            LATIN.put(pairs[i].codePointAt(0), pairs[i + 1].equals("-") ? "" : pairs[i + 1]);
        }
    }

    private Letters() {}

    /** The text with each letter that it knows in letters of English. */
    public static String latin(String text) {
        if (text.chars().allMatch(c -> c < 0x80)) {
            return text;
        }
        StringBuilder out = new StringBuilder();
        Normalizer.normalize(text, Normalizer.Form.NFC).codePoints().forEach(c -> latin(c, out));
        return out.toString();
    }

    private static void latin(int c, StringBuilder out) {
        String known = known(c);
        if (known != null) {
            out.append(known);
            return;
        }
        // A letter and its accents, apart.
        String apart = Normalizer.normalize(Character.toString(c), Normalizer.Form.NFD);
        int base = apart.codePointAt(0);
        String ofBase = base < 0x80 ? Character.toString(base) : known(base);
        boolean accents =
                apart.codePoints().skip(1).allMatch(part -> Character.getType(part) == Character.NON_SPACING_MARK);
        out.append(ofBase != null && accents && c >= 0x80 ? ofBase : Character.toString(c));
    }

    private static @org.jspecify.annotations.Nullable String known(int c) {
        String small = LATIN.get(Character.toLowerCase(c));
        if (small == null || small.isEmpty() || Character.toLowerCase(c) == c) {
            return small;
        }
        return Character.toUpperCase(small.charAt(0)) + small.substring(1);
    }
}
