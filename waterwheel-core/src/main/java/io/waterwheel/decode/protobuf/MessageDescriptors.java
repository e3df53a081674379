package io.waterwheel.decode.protobuf;

import com.google.protobuf.AnyProto;
import com.google.protobuf.DescriptorProtos;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DurationProto;
import com.google.protobuf.EmptyProto;
import com.google.protobuf.FieldMaskProto;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.StructProto;
import com.google.protobuf.TimestampProto;
import com.google.protobuf.WrappersProto;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.RegisteredSchema;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the types of messages: in a descriptor set, as {@code protoc --descriptor_set_out} writes it, or in the sources
 * that a registry keeps.
 */
public final class MessageDescriptors {
    private static final int MOST_FILES = 1_000;

    private MessageDescriptors() {}

    /**
     * The type of a message.
     *
     * @param base64 the descriptor set
     * @param message its full name
     * @throws IllegalArgumentException when there is none; the message says why
     */
    public static Descriptor find(String base64, String message) {
        FileDescriptorSet set;
        try {
            set = FileDescriptorSet.parseFrom(Base64.getDecoder().decode(base64));
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "descriptor: not a descriptor set, as protoc --include_imports"
                            + " --descriptor_set_out=FILE writes it: " + e.getMessage(),
                    e);
        }
        if (set.getFileCount() > MOST_FILES) {
            throw new IllegalArgumentException("descriptor: expected at most " + MOST_FILES + " files");
        }
        Map<String, FileDescriptor> files = known();
        List<String> names = new ArrayList<>();
        // A set has each file behind those that it imports.
        for (FileDescriptorProto file : set.getFileList()) {
            FileDescriptor built = build(file, files, false);
            files.put(file.getName(), built);
            for (Descriptor type : built.getMessageTypes()) {
                Descriptor found = find(type, message, names);
                if (found != null) {
                    return found;
                }
            }
        }
        throw new IllegalArgumentException("message: there is no '" + message + "' in the descriptor, which has "
                + names.subList(0, Math.min(names.size(), 20)));
    }

    /**
     * The file of a registered schema. Imports that it does not refer to, such as those of options, may be missing:
     * what is of their types is passed over.
     *
     * @throws MalformedException when it is of another type
     * @throws IllegalArgumentException when it cannot be read; the message says why
     */
    static FileDescriptor registered(RegisteredSchema schema) throws MalformedException {
        String text = schema.require("PROTOBUF");
        Map<String, FileDescriptor> files = known();
        for (RegisteredSchema.Reference reference : schema.references()) {
            if (!files.containsKey(reference.name())) {
                FileDescriptorProto file = ProtoSource.parse(reference.name(), reference.text());
                files.put(reference.name(), build(file, files, true));
            }
        }
        return build(ProtoSource.parse("the schema", text), files, true);
    }

    /** Files that come with the library. */
    private static Map<String, FileDescriptor> known() {
        Map<String, FileDescriptor> files = new HashMap<>();
        for (FileDescriptor known : List.of(
                AnyProto.getDescriptor(),
                DescriptorProtos.getDescriptor(),
                DurationProto.getDescriptor(),
                EmptyProto.getDescriptor(),
                FieldMaskProto.getDescriptor(),
                StructProto.getDescriptor(),
                TimestampProto.getDescriptor(),
                WrappersProto.getDescriptor())) {
            files.put(known.getName(), known);
        }
        return files;
    }

    private static FileDescriptor build(FileDescriptorProto file, Map<String, FileDescriptor> files, boolean lenient) {
        List<FileDescriptor> imports = new ArrayList<>();
        for (String name : file.getDependencyList()) {
            FileDescriptor imported = files.get(name);
            if (imported != null) {
                imports.add(imported);
            } else if (!lenient) {
                throw new IllegalArgumentException("descriptor: " + file.getName() + " imports " + name
                        + ", which is not in it; write it with protoc --include_imports");
            }
        }
        try {
            return FileDescriptor.buildFrom(file, imports.toArray(FileDescriptor[]::new), lenient);
        } catch (DescriptorValidationException e) {
            throw new IllegalArgumentException(
                    (lenient ? "" : "descriptor: ") + file.getName() + ": " + e.getMessage(), e);
        }
    }

    private static @org.jspecify.annotations.Nullable Descriptor find(
            Descriptor type, String message, List<String> names) {
        names.add(type.getFullName());
        if (type.getFullName().equals(message)) {
            return type;
        }
        for (Descriptor nested : type.getNestedTypes()) {
            Descriptor found = find(nested, message, names);
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
