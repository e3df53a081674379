package io.waterwheel.decode.avro;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import io.waterwheel.decode.avro.AvroType.Kind;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.schema.TimestampUnit;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.UUID;

/**
 * Writes records of Avro as objects of JSON, with the values that a field of a stream takes: times as ISO 8601,
 * decimals with all their digits, bytes in base64, a value of a union as it is. A value that its logical type does not
 * allow, such as the 25th hour, becomes a text that says so, which no field but a string takes. One thread.
 */
public final class AvroJson {
    /** Of a decimal; more than any column of a database has. */
    private static final int MOST_DECIMAL_BYTES = 4096;

    private static final JsonFactory FACTORY =
            JsonFactory.builder().disable(StreamWriteFeature.AUTO_CLOSE_TARGET).build();

    private final AvroType type;
    private final AvroInput in = new AvroInput();

    /**
     * A writer of records of one schema.
     *
     * @throws IllegalArgumentException when it is not the schema of a record
     */
    public AvroJson(AvroType type) {
        if (type.kind != Kind.RECORD) {
            throw new IllegalArgumentException("expected the schema of a record, got " + type.describe());
        }
        this.type = type;
    }

    /**
     * Writes the record that begins at a place.
     *
     * @param to behind the last byte that can be the record's
     * @param out gets the object, without a line end; what it throws for too much ends the record
     * @return the place behind the record
     * @throws MalformedException when these are no record of the schema; part of it may have been written
     */
    public int write(byte[] bytes, int from, int to, OutputStream out) throws MalformedException, IOException {
        in.begin(bytes, from, to);
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            value(type, json);
        }
        return in.at;
    }

    private void value(AvroType value, JsonGenerator json) throws MalformedException, IOException {
        switch (value.logical) {
            case NONE -> plain(value, json);
            case UUID -> uuid(value, json);
            case DECIMAL -> decimal(value, json);
            case DATE -> json.writeString(LocalDate.ofEpochDay(in.readInt()).toString());
            case TIME_MILLIS -> time(in.readInt(), TimestampUnit.MILLISECONDS, json);
            case TIME_MICROS -> time(in.readLong(), TimestampUnit.MICROSECONDS, json);
            case TIMESTAMP_MILLIS -> instant(TimestampUnit.MILLISECONDS, json);
            case TIMESTAMP_MICROS -> instant(TimestampUnit.MICROSECONDS, json);
            case TIMESTAMP_NANOS -> instant(TimestampUnit.NANOSECONDS, json);
            case LOCAL_TIMESTAMP_MILLIS -> local(TimestampUnit.MILLISECONDS, json);
            case LOCAL_TIMESTAMP_MICROS -> local(TimestampUnit.MICROSECONDS, json);
            case LOCAL_TIMESTAMP_NANOS -> local(TimestampUnit.NANOSECONDS, json);
        }
    }

    private void plain(AvroType value, JsonGenerator json) throws MalformedException, IOException {
        switch (value.kind) {
            case NULL -> json.writeNull();
            case BOOLEAN -> json.writeBoolean(in.readBoolean());
            case INT -> json.writeNumber(in.readInt());
            case LONG -> json.writeNumber(in.readLong());
            case FLOAT -> json.writeNumber(in.readFloat());
            case DOUBLE -> json.writeNumber(in.readDouble());
            case BYTES -> bytes(in.length(), json);
            case FIXED -> bytes(value.size, json);
            case STRING -> {
                int length = in.length();
                in.skip(length);
                json.writeUTF8String(in.bytes, in.at - length, length);
            }
            case ENUM -> json.writeString(value.symbols.get(in.index(value.symbols.size(), value.name)));
            case UNION -> value(value.parts.get(in.index(value.parts.size(), "a union")), json);
            case RECORD -> record(value, json);
            case ARRAY, MAP -> container(value, json);
        }
    }

    private void record(AvroType value, JsonGenerator json) throws MalformedException, IOException {
        in.enter();
        in.steps(value.members.size());
        json.writeStartObject();
        for (AvroType.Member member : value.members) {
            json.writeFieldName(member.name());
            value(member.type(), json);
        }
        json.writeEndObject();
        in.leave();
    }

    private void container(AvroType value, JsonGenerator json) throws MalformedException, IOException {
        in.enter();
        boolean map = value.kind == Kind.MAP;
        if (map) {
            json.writeStartObject();
        } else {
            json.writeStartArray();
        }
        for (long count = in.block(false); count > 0; count = in.block(false)) {
            for (long i = 0; i < count; i++) {
                if (map) {
                    int length = in.length();
                    in.skip(length);
                    json.writeFieldName(key(length));
                }
                value(value.parts.get(0), json);
            }
        }
        if (map) {
            json.writeEndObject();
        } else {
            json.writeEndArray();
        }
        in.leave();
    }

    private String key(int length) throws MalformedException {
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(in.bytes, in.at - length, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new MalformedException("a key of a map is not valid UTF-8");
        }
    }

    private void bytes(int length, JsonGenerator json) throws MalformedException, IOException {
        in.skip(length);
        json.writeBinary(in.bytes, in.at - length, length);
    }

    private void uuid(AvroType value, JsonGenerator json) throws MalformedException, IOException {
        if (value.kind == Kind.STRING) {
            int length = in.length();
            in.skip(length);
            json.writeUTF8String(in.bytes, in.at - length, length);
            return;
        }
        in.skip(value.size);
        BigInteger bits = new BigInteger(1, Arrays.copyOfRange(in.bytes, in.at - value.size, in.at));
        json.writeString(new UUID(bits.shiftRight(Long.SIZE).longValue(), bits.longValue()).toString());
    }

    private void decimal(AvroType value, JsonGenerator json) throws MalformedException, IOException {
        int length = value.kind == Kind.FIXED ? value.size : in.length();
        in.skip(length);
        if (length == 0 || length > MOST_DECIMAL_BYTES) {
            json.writeString("a decimal of " + length + " bytes");
            return;
        }
        BigInteger unscaled = new BigInteger(Arrays.copyOfRange(in.bytes, in.at - length, in.at));
        json.writeNumber(new BigDecimal(unscaled, value.scale).toPlainString());
    }

    private static void time(long units, TimestampUnit unit, JsonGenerator json) throws IOException {
        try {
            LocalTime time = LocalTime.ofNanoOfDay(Math.multiplyExact(units, unit.nanos()));
            json.writeString(DateTimeFormatter.ISO_LOCAL_TIME.format(time));
        } catch (DateTimeException | ArithmeticException e) {
            // The next record is where it should be: the field's own check says what is wrong with this one.
            json.writeString(units + " " + unit.schemaName());
        }
    }

    private void instant(TimestampUnit unit, JsonGenerator json) throws MalformedException, IOException {
        json.writeString(unit.instant(in.readLong()).toString());
    }

    private void local(TimestampUnit unit, JsonGenerator json) throws MalformedException, IOException {
        LocalDateTime time = LocalDateTime.ofInstant(unit.instant(in.readLong()), ZoneOffset.UTC);
        json.writeString(DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time));
    }
}
