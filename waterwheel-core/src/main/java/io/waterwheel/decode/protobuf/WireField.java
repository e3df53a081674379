package io.waterwheel.decode.protobuf;

import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.ValueSink;

/** Reads one value of a field of a message, behind its tag. */
interface WireField {
    void read(WireInput in, ValueSink sink) throws MalformedException;

    /** Gives the fields that are below what they are where a message lacks this one; nothing, where that is null. */
    default void absent(ValueSink sink) throws MalformedException {}
}
