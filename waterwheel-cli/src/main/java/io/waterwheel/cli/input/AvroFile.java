package io.waterwheel.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.luben.zstd.ZstdInputStream;
import io.waterwheel.decode.avro.AvroFieldTypes;
import io.waterwheel.decode.avro.AvroJson;
import io.waterwheel.decode.avro.AvroSchemas;
import io.waterwheel.decode.avro.AvroType;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.schema.FieldType;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyError;

/**
 * The records of a file of Avro (an <i>object container file</i>), each as a line of JSON. Bytes that are not as the
 * specification says end it: where the next record begins is not known then. Source: the Avro specification 1.12. One
 * thread.
 */
final class AvroFile extends InputStream {
    /** What such a file begins with. */
    private static final byte[] MAGIC = {'O', 'b', 'j', 1};

    private static final int SYNC_BYTES = 16;
    private static final int MOST_HEADER_BYTES = 16 << 20;
    /** Of a block, as it is in the file and unpacked. */
    private static final int MOST_BLOCK_BYTES = 32 << 20;
    /** Of a block, beside one a byte: a record of nothing but nulls has no byte. */
    private static final int MOST_EMPTY_RECORDS = 1 << 16;

    private static final int MOST_SHOWN = 40;

    /** How the bytes of a block are packed. */
    private enum Codec {
        NONE,
        DEFLATE,
        SNAPPY,
        ZSTANDARD
    }

    private final InputStream in;
    private final AvroJson json;
    private final Map<String, FieldType> decimals = new HashMap<>();
    private final Codec codec;
    private final byte[] sync;
    private byte[] block = {};
    /** Of the next record in the block. */
    private int at;

    private long left;
    private long records;
    private final Line line = new Line();
    private int taken;

    /** A record; no longer than a line may be. */
    private static final class Line extends OutputStream {
        private byte[] bytes = new byte[1024];
        private int length;

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] more, int from, int count) {
            if (length + count > InputLines.MAX_LINE_BYTES) {
                throw new TooLong();
            }
            if (length + count > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
            }
            System.arraycopy(more, from, bytes, length, count);
            length += count;
        }
    }

    private static final class TooLong extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Whether a file begins like this. */
    static boolean begins(byte[] bytes) {
        return bytes.length >= MAGIC.length && Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    /**
     * Reads the header.
     *
     * @param in what {@link #begins}; closed with this
     * @throws IOException when it is damaged, or no file of records, or packed by a codec that is not known
     */
    AvroFile(InputStream in) throws IOException {
        this.in = in;
        require(MAGIC.length);
        String schema = "";
        String packing = "null";
        int bytes = 0;
        for (long count = longValue(); count != 0; count = longValue()) {
            if (count < 0) {
                longValue(); // its bytes, which are of use to those who pass over it
            }
            for (long i = 0; i < Math.abs(count); i++) {
                byte[] key = sized(MOST_HEADER_BYTES - bytes);
                byte[] value = sized(MOST_HEADER_BYTES - bytes);
                bytes += key.length + value.length + 2;
                switch (new String(key, UTF_8)) {
                    case "avro.schema" -> schema = new String(value, UTF_8);
                    case "avro.codec" -> packing = new String(value, UTF_8);
                    default -> {} // notes of its writer
                }
            }
        }
        this.codec = switch (packing) {
            case "null" -> Codec.NONE;
            case "deflate" -> Codec.DEFLATE;
            case "snappy" -> Codec.SNAPPY;
            case "zstandard" -> Codec.ZSTANDARD;
            default ->
                throw new IOException("it is an Avro file packed by '"
                        + packing.substring(0, Math.min(packing.length(), MOST_SHOWN))
                                .replaceAll("[^ -~]", "?")
                        + "', expected null, deflate, snappy or zstandard: write it anew with one of them");
        };
        this.sync = require(SYNC_BYTES);
        try {
            AvroType type = AvroSchemas.parseOfFile(schema);
            this.json = new AvroJson(type);
            AvroFieldTypes.of(type).forEach((path, field) -> {
                if (field.isDecimal()) {
                    decimals.put(path, field);
                }
            });
        } catch (IllegalArgumentException e) {
            throw new IOException("it is an Avro file whose schema cannot be read: " + e.getMessage(), e);
        }
    }

    /** By path the decimals of its schema that a field holds: as JSON they are numbers like others. */
    Map<String, FieldType> decimals() {
        return decimals;
    }

    private static IOException damaged(String what) {
        return new IOException("the Avro file is damaged or cut off: " + what);
    }

    private IOException damagedBehind(String what) {
        return damaged(what + ", behind record " + records);
    }

    private byte[] require(int count) throws IOException {
        byte[] got = in.readNBytes(count);
        if (got.length < count) {
            throw damagedBehind("it ends within " + count + " bytes");
        }
        return got;
    }

    private byte[] sized(int most) throws IOException {
        long length = longValue();
        if (length < 0 || length > most) {
            throw damagedBehind("a length of " + length + " bytes, expected at most " + Math.max(0, most));
        }
        return require((int) length);
    }

    private long longValue() throws IOException {
        int first = in.read();
        if (first < 0) {
            throw damagedBehind("it ends before a number");
        }
        return longValue(first);
    }

    private long longValue(int first) throws IOException {
        long value = first & 0x7F;
        int b = first;
        for (int shift = 7; b > 0x7F; shift += 7) {
            b = in.read();
            if (b < 0 || shift > 63 || (shift == 63 && b > 1)) {
                throw damagedBehind(b < 0 ? "it ends within a number" : "a number of more than 64 bits");
            }
            value |= (long) (b & 0x7F) << shift;
        }
        return (value >>> 1) ^ -(value & 1);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    /** At most a record at a time: those before a damaged one are taken, and a pipe is not waited for. */
    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (taken == line.length && !nextLine()) {
            return -1;
        }
        int some = Math.min(length, line.length - taken);
        System.arraycopy(line.bytes, taken, into, from, some);
        taken += some;
        return some;
    }

    private boolean nextLine() throws IOException {
        line.length = 0;
        taken = 0;
        while (left == 0) {
            if (at != block.length) {
                throw damagedBehind((block.length - at) + " bytes of a block are no record");
            }
            if (!nextBlock()) {
                return false;
            }
        }
        try {
            at = json.write(block, at, block.length, line);
            line.write('\n');
        } catch (MalformedException e) {
            line.length = 0;
            throw damaged("record " + (records + 1) + ": " + e.getMessage());
        } catch (TooLong e) {
            line.length = 0;
            throw new IOException(
                    "record " + (records + 1) + " has over " + InputLines.MAX_LINE_BYTES + " bytes as JSON", e);
        }
        left--;
        records++;
        return true;
    }

    private boolean nextBlock() throws IOException {
        int first = in.read();
        if (first < 0) {
            return false;
        }
        long count = longValue(first);
        byte[] packed = sized(MOST_BLOCK_BYTES);
        if (!Arrays.equals(sync, require(SYNC_BYTES))) {
            throw damagedBehind("the 16 bytes behind a block are not those of the header");
        }
        try {
            block = unpacked(packed);
        } catch (IOException e) {
            throw new IOException("a block behind record " + records + " cannot be unpacked: " + e.getMessage(), e);
        }
        if (count < 0 || count > block.length + MOST_EMPTY_RECORDS) {
            throw damagedBehind("a block of " + count + " records in " + block.length + " bytes");
        }
        left = count;
        at = 0;
        return true;
    }

    private byte[] unpacked(byte[] packed) throws IOException {
        return switch (codec) {
            case NONE -> packed;
            case DEFLATE -> {
                Inflater inflater = new Inflater(true);
                try (InputStream plain = new InflaterInputStream(new ByteArrayInputStream(packed), inflater)) {
                    yield bounded(plain);
                } finally {
                    inflater.end();
                }
            }
            case ZSTANDARD -> {
                try (InputStream plain = new ZstdInputStream(new ByteArrayInputStream(packed))) {
                    yield bounded(plain);
                }
            }
            case SNAPPY -> snappy(packed);
        };
    }

    private static byte[] bounded(InputStream plain) throws IOException {
        byte[] all = plain.readNBytes(MOST_BLOCK_BYTES);
        if (plain.read() >= 0) {
            throw new IOException("it has over " + MOST_BLOCK_BYTES + " bytes");
        }
        return all;
    }

    /** Behind what Snappy wrote is the checksum of what it was. */
    private static byte[] snappy(byte[] packed) throws IOException {
        int length = packed.length - Integer.BYTES;
        if (length < 1) {
            throw new EOFException("it has " + packed.length + " bytes");
        }
        try {
            return snappy(packed, length);
        } catch (SnappyError | LinkageError e) {
            throw new IOException("Snappy's native library does not run on this machine: " + e.getMessage(), e);
        }
    }

    private static byte[] snappy(byte[] packed, int length) throws IOException {
        int plainLength = Snappy.uncompressedLength(packed, 0, length);
        if (plainLength < 0 || plainLength > MOST_BLOCK_BYTES) {
            throw new IOException("it has over " + MOST_BLOCK_BYTES + " bytes");
        }
        byte[] plain = new byte[plainLength];
        int got = Snappy.uncompress(packed, 0, length, plain, 0);
        CRC32 checksum = new CRC32();
        checksum.update(plain, 0, got);
        if (got != plainLength
                || (int) checksum.getValue() != ByteBuffer.wrap(packed).getInt(length)) {
            throw new IOException("its checksum is another");
        }
        return plain;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
