package io.waterwheel.schema.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Where a value stands in a JSON document: {@code $.position.lat}, {@code $.values[0]}, {@code $['wind speed']}, or in
 * each element of an array: {@code $.readings[*].at}. The subset of JSONPath (RFC 9535) that names one value, or one of
 * each element. Stateless.
 */
public final class MemberPath {
    /** How a path begins. */
    public static final String ROOT = "$";

    private static final String EACH = "*";
    private static final int MOST_STEPS = 16;
    private static final int MOST_INDEX_DIGITS = 4;

    /**
     * One step.
     *
     * @param name of a member; the number of an element, in digits, where it is one
     * @param element whether it is an element of an array
     */
    public record Step(String name, boolean element) {
        /** Whether it stands for each element of an array. */
        public boolean isEach() {
            return element && name.equals(EACH);
        }
    }

    private MemberPath() {}

    /** The steps to what a path, or the name of a member of the document itself, stands for. */
    public static List<Step> steps(String source) {
        return source.startsWith(ROOT) ? of(source) : List.of(new Step(source, false));
    }

    /** How many steps lead to the array each of whose elements has the value; -1 when there is none. */
    public static int stepsToEach(List<Step> steps) {
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).isEach()) {
                return i;
            }
        }
        return -1;
    }

    /** Whether two values can be in these places of one document: neither is within the other, or the same. */
    public static boolean apart(List<Step> one, List<Step> other) {
        for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
            if (!one.get(i).equals(other.get(i))) {
                return one.get(i).element() == other.get(i).element();
            }
        }
        return false;
    }

    /**
     * Reads a path in a record. A record is an object, or an array each of whose elements is one.
     *
     * @throws IllegalArgumentException when it is none, or begins with one element, as {@code $[0]} does
     */
    public static List<Step> ofRecord(String path) {
        List<Step> steps = of(path);
        if (steps.get(0).element() && !steps.get(0).isEach()) {
            throw new IllegalArgumentException("expected a path such as $.position.lat or $[*].lat, which begins with a"
                    + " member, or with each element, of the record, got '" + path + "'");
        }
        return steps;
    }

    /**
     * Reads a path.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static List<Step> of(String path) {
        List<Step> steps = new ArrayList<>();
        int at = ROOT.length();
        while (at < path.length()) {
            int end;
            if (path.charAt(at) == '.') {
                end = at + 1;
                while (end < path.length() && path.charAt(end) != '.' && path.charAt(end) != '[') {
                    end++;
                }
                steps.add(new Step(path.substring(at + 1, end), false));
            } else if (path.startsWith("['", at)) {
                int quote = path.indexOf("']", at + 2);
                end = quote < 0 ? path.length() : quote + 2;
                steps.add(new Step(quote < 0 ? "" : path.substring(at + 2, quote), false));
            } else {
                int bracket = path.indexOf(']', at);
                String digits = path.charAt(at) == '[' && bracket > at ? path.substring(at + 1, bracket) : "";
                boolean index = digits.matches("0|[1-9][0-9]*") && digits.length() <= MOST_INDEX_DIGITS;
                end = bracket < 0 ? path.length() : bracket + 1;
                steps.add(new Step(index || digits.equals(EACH) ? digits : "", true));
            }
            at = end;
        }
        if (!path.startsWith(ROOT)
                || steps.isEmpty()
                || steps.size() > MOST_STEPS
                || steps.stream().anyMatch(step -> step.name().isEmpty())
                || steps.stream().filter(Step::isEach).count() > 1) {
            throw new IllegalArgumentException(
                    "expected a path such as $.position.lat, $.values[0], $['wind speed'] or $.readings[*].at, with one [*] and at"
                            + " most " + MOST_STEPS + " steps, got '" + path + "'");
        }
        return steps;
    }
}
