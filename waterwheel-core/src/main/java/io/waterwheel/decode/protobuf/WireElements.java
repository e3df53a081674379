package io.waterwheel.decode.protobuf;

import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.ValueSink;
import org.jspecify.annotations.Nullable;

/** Reads elements of a repeated field by their numbers; those that no path names are passed over. One thread. */
final class WireElements implements WireField {
    private final @Nullable WireField[] steps;
    private final int tag;
    /** Of the next element. */
    private int number;

    /** @param tag of one element, where it stands alone */
    WireElements(@Nullable WireField[] steps, int tag) {
        this.steps = steps;
        this.tag = tag;
    }

    /** The next element is the first. */
    void begin() {
        number = 0;
    }

    @Override
    public void read(WireInput in, ValueSink sink) throws MalformedException {
        WireField step = number < steps.length ? steps[number] : null;
        number = Math.min(number + 1, steps.length);
        if (step == null) {
            in.skip(tag);
        } else {
            step.read(in, sink);
        }
    }
}
