package io.waterwheel.sql.duckdb;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Fields in a message. */
final class RowFields {
    private static final int MOST = 4096;

    private RowFields() {}

    static void write(List<Field> fields, DataOutputStream out) throws IOException {
        out.writeInt(fields.size());
        for (Field field : fields) {
            out.writeUTF(field.name());
            out.writeUTF(field.type().name());
            out.writeBoolean(field.nullable());
        }
    }

    static List<Field> read(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MOST) {
            throw new IOException(count + " fields");
        }
        List<Field> fields = new ArrayList<>();
        for (int f = 0; f < count; f++) {
            fields.add(new Field(in.readUTF(), FieldType.valueOf(in.readUTF()), in.readBoolean()));
        }
        return fields;
    }
}
