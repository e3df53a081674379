package io.waterwheel.decode.typed;

import io.waterwheel.schema.TimestampUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes the values of a record's fields as a reader meets them, and makes of them what the types of the fields are. A
 * value that its field cannot hold is refused with {@link MalformedException}. A field that is not met is null.
 */
public interface ValueSink {
    /** Why no value of a kind can be one of this field; null when some can. */
    @Nullable
    String unfit(int field, ValueKind kind);

    /** Whether the field has a value in the tuple so far. */
    boolean has(int field);

    /** The field is null in the record, whatever it was before. */
    void nothing(int field) throws MalformedException;

    void integer(int field, long value) throws MalformedException;

    /** A whole number of 64 bits without a sign. */
    void unsigned(int field, long value) throws MalformedException;

    void single(int field, float value) throws MalformedException;

    void number(int field, double value) throws MalformedException;

    void bool(int field, boolean value) throws MalformedException;

    /** Text; whether it is UTF-8 is not known. */
    void text(int field, byte[] bytes, int offset, int length) throws MalformedException;

    void bytes(int field, byte[] bytes, int offset, int length) throws MalformedException;

    /** A count of units since 1970 UTC. */
    void instant(int field, long units, TimestampUnit unit) throws MalformedException;

    /** Seconds since 1970 UTC, and nanoseconds behind them, 0 to 999,999,999. */
    void instant(int field, long seconds, int nanos) throws MalformedException;

    /** A count of units since 1970 as the clocks of a zone show it. */
    void local(int field, long units, TimestampUnit unit) throws MalformedException;

    /** Days since 1970. */
    void date(int field, long days) throws MalformedException;

    /** A count of units since midnight. */
    void timeOfDay(int field, long units, TimestampUnit unit) throws MalformedException;

    /** A whole number in two's complement, its highest byte first, of whose digits some are behind the point. */
    void decimal(int field, byte[] bytes, int offset, int length, int scale) throws MalformedException;

    /** The array whose elements are tuples is there. */
    void array() throws MalformedException;

    /** An element of it begins, and what is met up to {@link #endRow} is of its tuple. */
    void beginRow() throws MalformedException;

    void endRow() throws MalformedException;
}
