package io.waterwheel.decode;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import java.util.Locale;
import java.util.Random;

/** Writes a file of Protocol Buffers as a person might: comments, options and empty statements between the rest. */
final class ProtoPrinter {
    private final Random random;
    private final StringBuilder out = new StringBuilder();
    private boolean proto3;

    ProtoPrinter(Random random) {
        this.random = random;
    }

    String print(FileDescriptorProto file) {
        proto3 = file.getSyntax().equals("proto3");
        line("syntax = \"" + file.getSyntax() + "\";");
        line("package " + file.getPackage() + ";");
        file.getDependencyList().forEach(name -> line("import '" + name + "';"));
        line("option java_package = \"a.b; message X {\";");
        file.getMessageTypeList().forEach(this::message);
        file.getEnumTypeList().forEach(this::enumeration);
        line("service S { rpc Get (M) returns (M) { option (x.y) = { a: [1, 2] b { c: 'd' } }; } }");
        return out.toString();
    }

    private void line(String text) {
        switch (random.nextInt(8)) {
            case 0 -> out.append("// message Not { int32 a = 1;\n");
            case 1 -> out.append("/* } enum\n * \" */ ");
            case 2 -> out.append(";\n".repeat(text.startsWith("syntax") ? 0 : 1));
            default -> {
                // Nothing between.
            }
        }
        out.append(text).append(random.nextInt(4) == 0 ? " " : "\n");
    }

    private void message(DescriptorProto message) {
        line("message " + message.getName() + "{");
        if (random.nextInt(3) == 0) {
            line("reserved 19000 to 19001, 18000;");
            line("option (my.opt) = {a: 1 b {c: [\"]\"]}};");
        }
        message.getNestedTypeList().forEach(this::message);
        for (FieldDescriptorProto field : message.getFieldList()) {
            if (!field.hasOneofIndex()) {
                boolean repeated = field.getLabel() == FieldDescriptorProto.Label.LABEL_REPEATED;
                line((repeated ? "repeated " : proto3 ? "" : "optional ") + field(field));
            }
        }
        for (int o = 0; o < message.getOneofDeclCount(); o++) {
            line("oneof " + message.getOneofDecl(o).getName() + " {");
            for (FieldDescriptorProto field : message.getFieldList()) {
                if (field.hasOneofIndex() && field.getOneofIndex() == o) {
                    line(field(field));
                }
            }
            line("}");
        }
        line("}");
    }

    private String field(FieldDescriptorProto field) {
        String type = field.getTypeName().isEmpty()
                ? field.getType().name().substring("TYPE_".length()).toLowerCase(Locale.ROOT)
                : field.getTypeName();
        int number = field.getNumber();
        String written = random.nextInt(5) == 0 ? "0x" + Integer.toHexString(number) : String.valueOf(number);
        String options = field.getOptions().hasPacked()
                ? " [packed = " + field.getOptions().getPacked() + ", (a.b).c = {x: \"]\"}]"
                : random.nextInt(6) == 0 ? "[deprecated=true]" : "";
        return type + " " + field.getName() + " = " + written + options + ";";
    }

    private void enumeration(EnumDescriptorProto type) {
        line("enum " + type.getName() + " { option allow_alias = false; reserved \"OLD\", 'OLDER';");
        type.getValueList()
                .forEach(value -> line(value.getName() + " = " + value.getNumber() + " [deprecated = true];"));
        line("}");
    }
}
