package io.waterwheel.decode.avro;

import java.util.List;

/** A type of an Avro schema. A record's members are set after it is made, for it may have members of its own type. */
public final class AvroType {
    enum Kind {
        NULL,
        BOOLEAN,
        INT,
        LONG,
        FLOAT,
        DOUBLE,
        BYTES,
        STRING,
        RECORD,
        ENUM,
        ARRAY,
        MAP,
        UNION,
        FIXED
    }

    /** What a type stands for beside its bytes. */
    enum Logical {
        NONE,
        DECIMAL,
        UUID,
        DATE,
        TIME_MILLIS,
        TIME_MICROS,
        TIMESTAMP_MILLIS,
        TIMESTAMP_MICROS,
        TIMESTAMP_NANOS,
        LOCAL_TIMESTAMP_MILLIS,
        LOCAL_TIMESTAMP_MICROS,
        LOCAL_TIMESTAMP_NANOS
    }

    record Member(String name, AvroType type) {}

    final Kind kind;
    /** Of a record, an enumeration or a fixed: its full name. */
    final String name;

    final Logical logical;
    /** Digits behind the point of a decimal. */
    final int scale;

    /** Digits of a decimal in all; 0: not known. */
    final int precision;
    /** Bytes of a fixed. */
    final int size;

    final List<String> symbols;
    /** Branches of a union; of an array and a map, the type of what is in it. */
    final List<AvroType> parts;
    /** Of a record. */
    List<Member> members = List.of();

    AvroType(Kind kind, String name, int size, List<String> symbols, List<AvroType> parts) {
        this(kind, name, Logical.NONE, 0, 0, size, symbols, parts);
    }

    private AvroType(
            Kind kind,
            String name,
            Logical logical,
            int scale,
            int precision,
            int size,
            List<String> symbols,
            List<AvroType> parts) {
        this.kind = kind;
        this.name = name;
        this.logical = logical;
        this.scale = scale;
        this.precision = precision;
        this.size = size;
        this.symbols = symbols;
        this.parts = parts;
    }

    static AvroType of(Kind kind) {
        return new AvroType(kind, "", 0, List.of(), List.of());
    }

    /** The same, which stands for something; digits are those of a decimal. */
    AvroType standingFor(Logical meaning, int digitsBehind, int digits) {
        return new AvroType(kind, name, meaning, digitsBehind, digits, size, symbols, parts);
    }

    /** For messages. */
    String describe() {
        return kind.name().toLowerCase(java.util.Locale.ROOT) + (name.isEmpty() ? "" : " " + name);
    }
}
