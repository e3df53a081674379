package io.waterwheel.cli.losses;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A place in JSON objects at which something was seen, with the places below it. One thread. */
public final class KnownMember {
    static final int SCALAR = 1;
    static final int OBJECT = 2;
    static final int ARRAY = 4;

    private final Map<String, KnownMember> below = new HashMap<>();
    /** The kinds of values that were there. */
    int kinds;

    /** Whether a person was told that it is left out, with all below. */
    boolean leftOut;

    /** Elements of its arrays that may be fields. */
    int elements;

    /** The place of all elements of an array each of which is a row; null: its elements have places of their own. */
    @Nullable
    KnownMember each;

    /** The place of a record's object, at which nothing was seen yet. */
    public KnownMember() {}

    /** A place below, which is made where there is none. */
    public KnownMember below(String name) {
        return below.computeIfAbsent(name, unused -> new KnownMember());
    }

    /** The place of all elements of an array each of which is a row. */
    public KnownMember ofEach() {
        KnownMember all = each == null ? new KnownMember() : each;
        each = all;
        return all;
    }

    /** Takes note of what was seen at the place. */
    public void saw(boolean scalar, boolean object, boolean array, int most) {
        kinds |= (scalar ? SCALAR : 0) | (object ? OBJECT : 0) | (array ? ARRAY : 0);
        elements = Math.max(elements, most);
    }

    /** Takes note of that it was told to be left out. */
    public void leaveOut() {
        leftOut = true;
    }

    @Nullable
    KnownMember known(String name) {
        return below.get(name);
    }
}
