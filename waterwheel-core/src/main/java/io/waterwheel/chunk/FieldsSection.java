package io.waterwheel.chunk;

import static io.waterwheel.chunk.encoding.ChunkFormat.*;

import io.waterwheel.chunk.encoding.ChunkBuffer;
import io.waterwheel.chunk.encoding.PartCursor;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** The directory's section of fields: what a tool that has no schema knows of the layout. */
final class FieldsSection {
    private FieldsSection() {}

    static void write(RowLayout layout, BitSet indexed, BitSet texts, ChunkBuffer out) {
        out.putShort(layout.fields().size());
        for (int f = 0; f < layout.fields().size(); f++) {
            Field field = layout.fields().get(f);
            byte[] type = field.type().schemaName().getBytes(StandardCharsets.US_ASCII);
            byte[] name = field.name().getBytes(StandardCharsets.US_ASCII);
            out.putShort(layout.columnOf(f));
            out.putByte((field.nullable() ? FIELD_NULLABLE : 0)
                    | (indexed.get(f) ? FIELD_INDEXED : 0)
                    | (texts.get(f) ? FIELD_TEXT_INDEXED : 0));
            out.putByte(type.length);
            out.putByte(name.length);
            out.putBytes(type, 0, type.length);
            out.putBytes(name, 0, name.length);
        }
    }

    /** Finds the section in a directory and makes the layout of it. */
    static RowLayout layout(String file, byte[] directory, int length, long offset) {
        PartCursor in = new PartCursor(file);
        in.set(directory, 0, length, offset, -1, 0);
        in.skip(HEAD_BYTES);
        int tag = in.i32();
        int size = in.i32();
        int from = in.skip(size);
        if (tag != TAG_FIELDS) {
            throw in.damaged("section 1 first", "tag " + Integer.toHexString(tag));
        }
        in.set(directory, from, size, offset, -1, tag);
        RowLayout layout = layout(in);
        if (layout.fingerprint() != LittleEndian.getInt(directory, HEAD_FINGERPRINT)) {
            throw in.damaged("fields of the head's fingerprint", "others");
        }
        return layout;
    }

    private static RowLayout layout(PartCursor in) {
        int count = in.count(1, 256);
        List<Field> fields = new ArrayList<>();
        int key = -1;
        int time = -1;
        for (int f = 0; f < count; f++) {
            int column = (short) in.u16();
            int flags = in.u8();
            int typeLength = in.u8();
            int nameLength = in.u8();
            String type = text(in, typeLength);
            String name = text(in, nameLength);
            FieldType known = FieldType.named(type);
            if (known == null) {
                throw in.damaged("a field type of this version", type);
            }
            try {
                Field field = new Field(name, known, (flags & FIELD_NULLABLE) != 0);
                fields.add(new Field(name, known, field.nullable(), field.unit(), index(flags)));
            } catch (IllegalArgumentException e) {
                throw in.damaged("a field", String.valueOf(e.getMessage()));
            }
            key = column == RowLayout.KEY ? f : key;
            time = column == RowLayout.TIME ? f : time;
        }
        if (fields.stream().filter(Field::nullable).count() > Long.SIZE) {
            throw in.damaged("at most 64 nullable fields", "more");
        }
        return RowLayout.ofStored(fields, key, time);
    }

    private static Field.Index index(int flags) {
        return (flags & FIELD_TEXT_INDEXED) != 0
                ? Field.Index.TEXT
                : (flags & FIELD_INDEXED) != 0 ? Field.Index.VALUES : Field.Index.NONE;
    }

    private static String text(PartCursor in, int length) {
        return new String(in.bytes(), in.skip(length), length, StandardCharsets.US_ASCII);
    }
}
