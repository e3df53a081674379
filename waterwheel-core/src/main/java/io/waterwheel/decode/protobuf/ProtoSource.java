package io.waterwheel.decode.protobuf;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads the source of a {@code .proto} file, as registries keep it, of proto2 and proto3: messages, enumerations,
 * fields, maps, oneofs and groups, imports and the package. What does not concern how messages lie in bytes, such as
 * options, services, extensions and reserved numbers, is passed over. Names of types stay as they are written: the
 * library finds what they mean. Types that are made up, of the entries of maps and of groups, stand behind those that
 * the file declares: places in records count the latter only. One thread.
 */
final class ProtoSource {
    /** Characters of a file. */
    static final int MOST_CHARACTERS = 1 << 20;

    private static final int MOST_DEEP = 50;
    private static final Map<String, FieldDescriptorProto.Type> SCALARS = Map.ofEntries(
            Map.entry("double", FieldDescriptorProto.Type.TYPE_DOUBLE),
            Map.entry("float", FieldDescriptorProto.Type.TYPE_FLOAT),
            Map.entry("int32", FieldDescriptorProto.Type.TYPE_INT32),
            Map.entry("int64", FieldDescriptorProto.Type.TYPE_INT64),
            Map.entry("uint32", FieldDescriptorProto.Type.TYPE_UINT32),
            Map.entry("uint64", FieldDescriptorProto.Type.TYPE_UINT64),
            Map.entry("sint32", FieldDescriptorProto.Type.TYPE_SINT32),
            Map.entry("sint64", FieldDescriptorProto.Type.TYPE_SINT64),
            Map.entry("fixed32", FieldDescriptorProto.Type.TYPE_FIXED32),
            Map.entry("fixed64", FieldDescriptorProto.Type.TYPE_FIXED64),
            Map.entry("sfixed32", FieldDescriptorProto.Type.TYPE_SFIXED32),
            Map.entry("sfixed64", FieldDescriptorProto.Type.TYPE_SFIXED64),
            Map.entry("bool", FieldDescriptorProto.Type.TYPE_BOOL),
            Map.entry("string", FieldDescriptorProto.Type.TYPE_STRING),
            Map.entry("bytes", FieldDescriptorProto.Type.TYPE_BYTES));

    private final ProtoTokens in;
    private boolean proto3;

    private ProtoSource(String text) {
        this.in = new ProtoTokens(text);
    }

    /**
     * Reads a file.
     *
     * @param name by which others import it
     * @throws IllegalArgumentException when it is none; the message says where
     */
    static FileDescriptorProto parse(String name, String text) {
        if (text.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException(
                    name + ": a file of " + text.length() + " characters, expected at most " + MOST_CHARACTERS);
        }
        try {
            return new ProtoSource(text).file(name);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }

    private FileDescriptorProto file(String name) {
        FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder().setName(name);
        while (!in.atEnd()) {
            switch (in.peek()) {
                case ";" -> in.next();
                case "syntax" -> {
                    in.next();
                    in.require("=");
                    String syntax = in.quoted();
                    if (!syntax.equals("proto2") && !syntax.equals("proto3")) {
                        throw new IllegalArgumentException("syntax '" + syntax + "', expected proto2 or proto3");
                    }
                    proto3 = syntax.equals("proto3");
                    in.require(";");
                }
                case "edition" ->
                    throw new IllegalArgumentException("it is of an edition, which cannot be read here: register it"
                            + " with syntax = \"proto3\", or use a descriptor-file without a registry");
                case "import" -> {
                    in.next();
                    boolean open = in.take("public");
                    if (!open) {
                        boolean unused = in.take("weak");
                    }
                    if (open) {
                        file.addPublicDependency(file.getDependencyCount());
                    }
                    file.addDependency(in.quoted());
                    in.require(";");
                }
                case "package" -> {
                    in.next();
                    file.setPackage(in.path());
                    in.require(";");
                }
                case "message" -> {
                    in.next();
                    file.addMessageType(message(0));
                }
                case "enum" -> {
                    in.next();
                    file.addEnumType(enumeration());
                }
                case "option", "service", "extend" -> in.skipStatement();
                default -> throw in.unexpected("a message, an enum or another statement of a .proto file");
            }
        }
        return file.setSyntax(proto3 ? "proto3" : "proto2").build();
    }

    private DescriptorProto message(int depth) {
        if (depth > MOST_DEEP) {
            throw new IllegalArgumentException("expected at most " + MOST_DEEP + " messages within each other");
        }
        DescriptorProto.Builder message = DescriptorProto.newBuilder().setName(in.name());
        body(message, depth);
        return message.build();
    }

    private void body(DescriptorProto.Builder message, int depth) {
        in.require("{");
        List<FieldDescriptorProto.Builder> fields = new ArrayList<>();
        List<DescriptorProto> made = new ArrayList<>();
        while (!in.take("}")) {
            switch (in.peek()) {
                case ";" -> in.next();
                case "message" -> {
                    in.next();
                    message.addNestedType(message(depth + 1));
                }
                case "enum" -> {
                    in.next();
                    message.addEnumType(enumeration());
                }
                case "oneof" -> {
                    in.next();
                    oneof(message, made, fields, depth);
                }
                case "option" -> option(message);
                case "extensions", "extend", "reserved" -> in.skipStatement();
                default -> field(made, fields, depth);
            }
        }
        message.addAllNestedType(made);
        // Those that the compiler makes up for proto3's "optional" stand behind all others.
        for (FieldDescriptorProto.Builder field : fields) {
            if (field.getProto3Optional()) {
                field.setOneofIndex(message.getOneofDeclCount());
                message.addOneofDecl(OneofDescriptorProto.newBuilder().setName("_" + field.getName()));
            }
            message.addField(field);
        }
    }

    /** Registries write the entries of maps as messages with an option where the schema came as a descriptor. */
    private void option(DescriptorProto.Builder message) {
        if (in.second().equals("map_entry")) {
            in.require("option");
            in.require("map_entry");
            in.require("=");
            if (in.take("true")) {
                message.getOptionsBuilder().setMapEntry(true);
            } else {
                in.require("false");
            }
            in.require(";");
        } else {
            in.skipStatement();
        }
    }

    private void oneof(
            DescriptorProto.Builder message,
            List<DescriptorProto> made,
            List<FieldDescriptorProto.Builder> fields,
            int depth) {
        int index = message.getOneofDeclCount();
        message.addOneofDecl(OneofDescriptorProto.newBuilder().setName(in.name()));
        in.require("{");
        while (!in.take("}")) {
            if (in.peek().equals("option") && !in.second().equals("=")) {
                in.skipStatement();
            } else if (!in.take(";")) {
                FieldDescriptorProto.Builder field =
                        FieldDescriptorProto.newBuilder().setLabel(Label.LABEL_OPTIONAL);
                rest(field, made, depth);
                fields.add(field.setOneofIndex(index));
            }
        }
    }

    private void field(List<DescriptorProto> made, List<FieldDescriptorProto.Builder> fields, int depth) {
        FieldDescriptorProto.Builder field = FieldDescriptorProto.newBuilder().setLabel(Label.LABEL_OPTIONAL);
        if (in.take("repeated")) {
            field.setLabel(Label.LABEL_REPEATED);
        } else if (in.take("required")) {
            field.setLabel(Label.LABEL_REQUIRED);
        } else if (in.take("optional")) {
            if (proto3) {
                field.setProto3Optional(true);
            }
        } else if (in.peek().equals("map") && in.second().equals("<")) {
            map(field, made);
            fields.add(field);
            return;
        }
        rest(field, made, depth);
        fields.add(field);
    }

    /** Type, name, number and options of a field. */
    private void rest(FieldDescriptorProto.Builder field, List<DescriptorProto> made, int depth) {
        if (in.take("group")) {
            String name = in.name();
            in.require("=");
            field.setName(name.toLowerCase(Locale.ROOT))
                    .setType(FieldDescriptorProto.Type.TYPE_GROUP)
                    .setTypeName(name)
                    .setNumber(in.number());
            options();
            if (depth >= MOST_DEEP) {
                throw new IllegalArgumentException("expected at most " + MOST_DEEP + " messages within each other");
            }
            DescriptorProto.Builder group = DescriptorProto.newBuilder().setName(name);
            body(group, depth + 1);
            made.add(group.build());
            return;
        }
        type(field);
        field.setName(in.name());
        in.require("=");
        field.setNumber(in.number());
        options();
        in.require(";");
    }

    private void type(FieldDescriptorProto.Builder field) {
        String type = in.path();
        FieldDescriptorProto.Type scalar = SCALARS.get(type);
        if (scalar == null) {
            field.setTypeName(type);
        } else {
            field.setType(scalar);
        }
    }

    private void options() {
        if (in.peek().equals("[")) {
            int depth = 0;
            do {
                String token = in.next();
                if (token.equals("[")) {
                    depth++;
                } else if (token.equals("]")) {
                    depth--;
                } else if (in.atEnd()) {
                    throw in.unexpected("']'");
                }
            } while (depth > 0);
        }
    }

    private void map(FieldDescriptorProto.Builder field, List<DescriptorProto> made) {
        in.require("map");
        in.require("<");
        FieldDescriptorProto.Builder key = FieldDescriptorProto.newBuilder();
        type(key);
        in.require(",");
        FieldDescriptorProto.Builder value = FieldDescriptorProto.newBuilder();
        type(value);
        in.require(">");
        String name = in.name();
        in.require("=");
        int number = in.number();
        options();
        in.require(";");
        String entry = entryName(name);
        DescriptorProto.Builder type = DescriptorProto.newBuilder().setName(entry);
        type.addField(key.setName("key").setNumber(1).setLabel(Label.LABEL_OPTIONAL));
        type.addField(value.setName("value").setNumber(2).setLabel(Label.LABEL_OPTIONAL));
        type.getOptionsBuilder().setMapEntry(true);
        made.add(type.build());
        field.setName(name)
                .setNumber(number)
                .setLabel(Label.LABEL_REPEATED)
                .setType(FieldDescriptorProto.Type.TYPE_MESSAGE)
                .setTypeName(entry);
    }

    /** As the compiler names it: {@code tag_names} has entries of type {@code TagNamesEntry}. */
    private static String entryName(String field) {
        StringBuilder name = new StringBuilder();
        boolean upper = true;
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '_') {
                upper = true;
            } else {
                name.append(upper ? Character.toUpperCase(c) : c);
                upper = false;
            }
        }
        return name.append("Entry").toString();
    }

    private EnumDescriptorProto enumeration() {
        EnumDescriptorProto.Builder type = EnumDescriptorProto.newBuilder().setName(in.name());
        in.require("{");
        while (!in.take("}")) {
            String word = in.peek();
            boolean value = in.second().equals("=");
            if (in.take(";")) {
                continue;
            }
            if (!value && (word.equals("option") || word.equals("reserved"))) {
                in.skipStatement();
                continue;
            }
            EnumValueDescriptorProto.Builder one =
                    EnumValueDescriptorProto.newBuilder().setName(in.name());
            in.require("=");
            one.setNumber(in.number());
            options();
            in.require(";");
            type.addValue(one);
        }
        return type.build();
    }
}
