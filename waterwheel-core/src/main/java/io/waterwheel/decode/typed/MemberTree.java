package io.waterwheel.decode.typed;

import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.MemberPath;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The members of a record's value that hold fields, as a tree: one of it is a field, or has members or elements, or
 * elements that are tuples.
 */
public final class MemberTree {
    /** Of the field that it holds; -1 where it has members or elements. */
    private int field = -1;

    /** Whether it holds the field's time of day, and another place its day. */
    private boolean clock;

    /** Whether what is below are elements of an array. */
    private boolean elements;

    private final Map<String, MemberTree> below = new HashMap<>();

    /** What each element holds, of an array whose elements are tuples. */
    private @Nullable MemberTree each;

    /** By number, of elements; null for those that hold nothing. */
    private @Nullable MemberTree[] byNumber = {};

    private MemberTree() {}

    /** The tree of a schema. */
    public static MemberTree of(Schema schema) {
        MemberTree root = new MemberTree();
        String rest = schema.text().json().rest();
        for (int f = 0; f < schema.fields().size(); f++) {
            String name = schema.fields().get(f).name();
            if (name.equals(rest) || !schema.text().inValue(name)) {
                continue;
            }
            root.at(schema.text().source(name)).field = f;
            String clock = schema.text().clock(name);
            if (clock != null) {
                MemberTree place = root.at(clock);
                place.field = f;
                place.clock = true;
            }
        }
        return root;
    }

    private MemberTree at(String path) {
        MemberTree at = this;
        for (MemberPath.Step step : MemberPath.steps(path)) {
            at = step.isEach() ? at.ofEach() : at.step(step.name(), step.element());
        }
        return at;
    }

    private MemberTree ofEach() {
        MemberTree tree = each == null ? new MemberTree() : each;
        each = tree;
        return tree;
    }

    /** The field that it holds; -1 where it has members or elements. */
    public int field() {
        return field;
    }

    /** Whether it holds the field's time of day, and another place its day. */
    public boolean isClock() {
        return clock;
    }

    /** Whether what is below are elements of an array, by their numbers. */
    public boolean hasElements() {
        return elements;
    }

    /** What each element of an array of tuples holds; null where it is none. */
    public @Nullable MemberTree each() {
        return each;
    }

    /** Marks the fields that this holds, or what is below. */
    public void mark(boolean[] fields) {
        if (field >= 0) {
            fields[field] = true;
        }
        below.values().forEach(tree -> tree.mark(fields));
        if (each != null) {
            each.mark(fields);
        }
    }

    /** The array whose elements are tuples, here or below; null where there is none. */
    public @Nullable MemberTree rows() {
        if (each != null) {
            return this;
        }
        for (MemberTree tree : below.values()) {
            MemberTree found = tree.rows();
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private MemberTree step(String name, boolean element) {
        elements = element;
        MemberTree next = below.computeIfAbsent(name, unused -> new MemberTree());
        if (element) {
            int number = Integer.parseInt(name);
            if (number >= byNumber.length) {
                byNumber = Arrays.copyOf(byNumber, number + 1);
            }
            byNumber[number] = next;
        }
        return next;
    }

    /** What a member holds; null where that is no field. */
    public @Nullable MemberTree member(String name) {
        return below.get(name);
    }

    /** The names of the members that hold fields, or have some below. */
    public Set<String> names() {
        return below.keySet();
    }

    /** What an element holds; null where that is no field. */
    public @Nullable MemberTree element(int number) {
        return number < byNumber.length ? byNumber[number] : null;
    }
}
