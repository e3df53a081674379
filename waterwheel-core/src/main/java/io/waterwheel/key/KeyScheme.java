package io.waterwheel.key;

import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The kind of key of one stream: how keys are made, written as text, narrowed by conditions and left out of chunks. All
 * that depends on the kind of key is asked here; the only other place is {@link KeySpec}, how a definition says it.
 * Immutable; any thread.
 */
public abstract sealed class KeyScheme permits FieldScheme, PositionScheme, DimensionScheme {
    KeyScheme() {}

    /** The scheme of a stream. Each kind of key has its line here. */
    public static KeyScheme of(Schema schema) {
        KeySpec key = schema.key();
        if (key instanceof KeySpec.Ordered) {
            return new FieldScheme(schema);
        }
        if (key instanceof KeySpec.Position position) {
            return new PositionScheme(schema, position);
        }
        if (key instanceof KeySpec.Dimensions dimensions) {
            return DimensionScheme.of(schema, dimensions);
        }
        throw new IllegalStateException("no scheme for keys of " + key.getClass());
    }

    /**
     * Reads what {@link DerivedKeys#parameters} gave. Each kind of key that chunks leave out has its line here.
     *
     * @param kind what {@link DerivedKeys#kind} gave
     * @param layout of the rows
     * @throws IllegalArgumentException for an unknown kind, and parameters that do not fit; says what was expected
     */
    public static DerivedKeys derived(int kind, RowLayout layout, ByteBuffer parameters) {
        if (kind == PositionScheme.KIND) {
            return PositionScheme.derived(layout, parameters);
        }
        if (kind >= DimensionKeys.KIND && kind <= DimensionKeys.LONG_KIND) {
            return DimensionScheme.derived(layout, kind, parameters);
        }
        throw new IllegalArgumentException(
                "expected kind " + PositionScheme.KIND + " to " + DimensionKeys.LONG_KIND + ", got " + kind);
    }

    /** Every key that a tuple can have lies in this interval. */
    public abstract KeyInterval domain();

    /**
     * Every key that one version of the scales can make lies in this interval.
     *
     * @param scales the version; 1 where the key has no dimensions. The scheme need not know it
     */
    public KeyInterval domain(int scales) {
        requireFirst(scales);
        return domain();
    }

    /**
     * Makes keys of rows, by the first scales where the key has dimensions.
     *
     * @param layout the stored layout of the schema
     */
    public abstract KeyMaker maker(RowLayout layout);

    /**
     * Makes keys of rows by one version of the scales.
     *
     * @param scales the version, 1 to {@link #scales}
     */
    public KeyMaker maker(RowLayout layout, int scales) {
        requireFirst(scales);
        return maker(layout);
    }

    /** How many versions of scales are known; 1 where the key has no dimensions. */
    public int scales() {
        return 1;
    }

    private static void requireFirst(int scales) {
        if (scales != 1) {
            throw new IllegalArgumentException("expected version 1 of the scales of a key without any, got " + scales);
        }
    }

    /**
     * The key of a value as a person writes it.
     *
     * @throws IllegalArgumentException when the text is no such value; says what was expected
     */
    public abstract long parse(String text);

    /** The least value that has the key, as {@link #parse} reads it. */
    public abstract String format(long key);

    /**
     * Gathers what a condition says of keys.
     *
     * @param layout the stored layout of the schema
     */
    public abstract KeyNarrowing narrowing(RowLayout layout);

    /**
     * Index of the field that a range of keys does not decide: tuples outside a range of values may have keys inside
     * the range of keys, so the condition must be tested too. -1 when ranges of keys are exact.
     */
    public int inexactField() {
        return -1;
    }

    /** Whether the tuples of one key are those of one thing, so that the newest of each key can be asked for. */
    public boolean tellsTuplesApart() {
        return true;
    }

    /** How the keys of chunks follow from their columns; null when keys must be stored. */
    public @Nullable DerivedKeys derived(RowLayout layout) {
        return null;
    }

    /** How keys that are made like this one follow from columns; null when that is not known. */
    public @Nullable DerivedKeys derived(RowLayout layout, long key) {
        return derived(layout);
    }

    /** How keys answer questions for places; null when they tell nothing of places. */
    public @Nullable PositionIndex positions() {
        return null;
    }
}
