package io.waterwheel.decode.protobuf;

import com.google.protobuf.Descriptors.Descriptor;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.RegisteredSchema;

/** Types of messages of a registry's schema, for tests that write messages. */
public final class RegisteredTypes {
    private RegisteredTypes() {}

    /** The type at these places; without any the first. */
    public static Descriptor type(RegisteredSchema schema, int... places) throws MalformedException {
        Descriptor type =
                MessageDescriptors.registered(schema).getMessageTypes().get(places.length == 0 ? 0 : places[0]);
        for (int i = 1; i < places.length; i++) {
            type = type.getNestedTypes().get(places[i]);
        }
        return type;
    }
}
