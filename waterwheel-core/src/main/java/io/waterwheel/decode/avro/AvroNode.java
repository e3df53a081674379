package io.waterwheel.decode.avro;

import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.ValueSink;

/** A step of a plan: reads one value of its type and hands over what fields take of it. Without state. */
interface AvroNode {
    void read(AvroInput in, ValueSink sink) throws MalformedException;
}
