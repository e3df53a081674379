package io.waterwheel.gateway.answer;

import com.github.luben.zstd.Zstd;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.wire.TypeMetadata;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DecimalType;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.IntType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.MicroSeconds;
import org.apache.parquet.format.MilliSeconds;
import org.apache.parquet.format.NanoSeconds;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.TimestampType;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.UUIDType;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/**
 * One column of a row group in the making: its pages, plain and compressed by Zstandard. Its types are those that a
 * reader of the Arrow stream would write: an IPv4 address is an unsigned number of 32 bits, a UUID is one of Parquet's,
 * an IPv6 address is 16 bytes. One thread.
 */
final class ParquetColumn {
    private static final int LEVEL = 3;
    private static final boolean UTC = true;

    private final String name;
    private final Field field;
    private final Type type;
    private ByteArrayOutputStream pages = new ByteArrayOutputStream();
    private long uncompressed;
    private long values;

    /** @param name in the file */
    ParquetColumn(String name, Field field) {
        this.name = name;
        this.field = field;
        this.type = type(field);
    }

    /** The column in the footer's schema. */
    SchemaElement element() {
        SchemaElement element = new SchemaElement(name);
        element.setType(type);
        element.setRepetition_type(field.isNullable() ? FieldRepetitionType.OPTIONAL : FieldRepetitionType.REQUIRED);
        ArrowType arrow = field.getType();
        if (arrow instanceof ArrowType.Utf8) {
            meaning(element, LogicalType.STRING(new StringType()), ConvertedType.UTF8);
        } else if (arrow instanceof ArrowType.Timestamp time) {
            meaning(element, LogicalType.TIMESTAMP(new TimestampType(UTC, unit(time))), converted(time));
        } else if (arrow instanceof ArrowType.Int number && !number.getIsSigned()) {
            meaning(element, LogicalType.INTEGER(new IntType((byte) Integer.SIZE, false)), ConvertedType.UINT_32);
        } else if (arrow instanceof ArrowType.Decimal decimal) {
            element.setType_length(decimal.getBitWidth() / Byte.SIZE);
            element.setPrecision(decimal.getPrecision());
            element.setScale(decimal.getScale());
            DecimalType digits = new DecimalType(decimal.getScale(), decimal.getPrecision());
            meaning(element, LogicalType.DECIMAL(digits), ConvertedType.DECIMAL);
        } else if (arrow instanceof ArrowType.FixedSizeBinary fixed) {
            element.setType_length(fixed.getByteWidth());
            if (TypeMetadata.sixteen(field.getMetadata()) == FieldType.UUID) {
                meaning(element, LogicalType.UUID(new UUIDType()), null);
            }
        }
        return element;
    }

    /** Some readers know the old form alone, which has not all. */
    private static void meaning(SchemaElement element, LogicalType logical, @Nullable ConvertedType converted) {
        element.setLogicalType(logical);
        if (converted != null) {
            element.setConverted_type(converted);
        }
    }

    private static @Nullable ConvertedType converted(ArrowType.Timestamp time) {
        return switch (time.getUnit()) {
            case MILLISECOND -> ConvertedType.TIMESTAMP_MILLIS;
            case MICROSECOND -> ConvertedType.TIMESTAMP_MICROS;
            default -> null;
        };
    }

    private static TimeUnit unit(ArrowType.Timestamp time) {
        return switch (time.getUnit()) {
            case MILLISECOND -> TimeUnit.MILLIS(new MilliSeconds());
            case MICROSECOND -> TimeUnit.MICROS(new MicroSeconds());
            case NANOSECOND -> TimeUnit.NANOS(new NanoSeconds());
            case SECOND -> throw new IllegalStateException("no field has its times in seconds");
        };
    }

    private static Type type(Field field) {
        ArrowType arrow = field.getType();
        if (arrow instanceof ArrowType.Int number) {
            if (number.getBitWidth() == Integer.SIZE) {
                return Type.INT32;
            } else if (number.getBitWidth() == Long.SIZE && number.getIsSigned()) {
                return Type.INT64;
            }
            throw unknown(field);
        } else if (arrow instanceof ArrowType.FloatingPoint number) {
            return switch (number.getPrecision()) {
                case SINGLE -> Type.FLOAT;
                case DOUBLE -> Type.DOUBLE;
                case HALF -> throw unknown(field);
            };
        } else if (arrow instanceof ArrowType.Bool) {
            return Type.BOOLEAN;
        } else if (arrow instanceof ArrowType.Timestamp) {
            return Type.INT64;
        } else if (arrow instanceof ArrowType.Utf8 || arrow instanceof ArrowType.Binary) {
            return Type.BYTE_ARRAY;
        } else if (arrow instanceof ArrowType.FixedSizeBinary || arrow instanceof ArrowType.Decimal) {
            return Type.FIXED_LEN_BYTE_ARRAY;
        }
        throw unknown(field);
    }

    private static IllegalStateException unknown(Field field) {
        return new IllegalStateException("field " + field + ": its type is unknown to this gateway");
    }

    /** Compressed bytes of the pages so far. */
    int bytes() {
        return pages.size();
    }

    /** Hands over the pages and forgets them. */
    byte[] takePages() {
        byte[] taken = pages.toByteArray();
        // One that a large group has made grow is given up.
        pages = new ByteArrayOutputStream();
        uncompressed = 0;
        values = 0;
        return taken;
    }

    /** Adds a page of the first rows of a vector. */
    void page(FieldVector vector, int rows) {
        int nulls = vector.getNullCount();
        if (nulls > 0 && !field.isNullable()) {
            throw new IllegalStateException("field " + field + " has " + nulls + " nulls");
        }
        Page page = new Page(Math.addExact(levelBytes(rows, nulls), valueBytes(vector, rows, nulls)));
        if (field.isNullable()) {
            putLevels(vector, rows, nulls, page);
        }
        if (vector instanceof BitVector bits) {
            putBits(bits, rows, nulls, page);
        } else if (vector instanceof BaseVariableWidthVector texts) {
            putTexts(texts, rows, page);
        } else if (vector instanceof DecimalVector decimals) {
            putDecimals(decimals, rows, page);
        } else {
            putFixed((BaseFixedWidthVector) vector, rows, nulls, page);
        }
        byte[] compressed = Zstd.compress(page.bytes, LEVEL);
        PageHeader header = new PageHeader(PageType.DATA_PAGE, page.bytes.length, compressed.length);
        header.setData_page_header(new DataPageHeader(rows, Encoding.PLAIN, Encoding.RLE, Encoding.RLE));
        int before = bytes();
        try {
            Util.writePageHeader(header, pages);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        uncompressed += bytes() - before + page.bytes.length;
        pages.writeBytes(compressed);
        values += rows;
    }

    /** What the footer says of the pages so far, which begin at a byte of the file. */
    ColumnChunk describe(long position) {
        ColumnMetaData metadata = new ColumnMetaData(
                type,
                List.of(Encoding.PLAIN, Encoding.RLE),
                List.of(name),
                CompressionCodec.ZSTD,
                values,
                uncompressed,
                bytes(),
                position);
        return new ColumnChunk(0).setMeta_data(metadata);
    }

    /** The bytes before the values, which tell nulls: a length, and one run of levels, 0 for null and 1 for others. */
    private int levelBytes(int rows, int nulls) {
        if (!field.isNullable()) {
            return 0;
        }
        int run = nulls == 0 ? varintBytes(rows << 1) + 1 : varintBytes((groups(rows) << 1) | 1) + groups(rows);
        return Integer.BYTES + run;
    }

    /** Packed levels come eight at a time. */
    private static int groups(int rows) {
        return (rows + 7) / 8;
    }

    private void putLevels(FieldVector vector, int rows, int nulls, Page page) {
        page.putInt(levelBytes(rows, nulls) - Integer.BYTES);
        if (nulls == 0) {
            page.putVarint(rows << 1);
            page.put(1);
        } else {
            // Arrow's bits of validity are levels as they lie.
            page.putVarint((groups(rows) << 1) | 1);
            page.copy(vector.getValidityBuffer(), 0, groups(rows));
        }
    }

    private static int varintBytes(int value) {
        return Math.max(1, (Integer.SIZE - Integer.numberOfLeadingZeros(value) + 6) / 7);
    }

    private static int valueBytes(FieldVector vector, int rows, int nulls) {
        int present = rows - nulls;
        if (vector instanceof BitVector) {
            return groups(present);
        } else if (vector instanceof BaseVariableWidthVector texts) {
            long bytes = (long) Integer.BYTES * present;
            for (int row = 0; row < rows; row++) {
                bytes += texts.isNull(row) ? 0 : texts.getEndOffset(row) - texts.getStartOffset(row);
            }
            return Math.toIntExact(bytes);
        }
        return Math.multiplyExact(present, ((BaseFixedWidthVector) vector).getTypeWidth());
    }

    private static void putBits(BitVector bits, int rows, int nulls, Page page) {
        if (nulls == 0) {
            page.copy(bits.getDataBuffer(), 0, groups(rows));
            return;
        }
        int some = 0;
        int count = 0;
        for (int row = 0; row < rows; row++) {
            if (!bits.isNull(row)) {
                some |= bits.get(row) << count++;
                if (count == Byte.SIZE) {
                    page.put(some);
                    some = 0;
                    count = 0;
                }
            }
        }
        if (count > 0) {
            page.put(some);
        }
    }

    private static void putTexts(BaseVariableWidthVector texts, int rows, Page page) {
        ArrowBuf data = texts.getDataBuffer();
        for (int row = 0; row < rows; row++) {
            if (!texts.isNull(row)) {
                int begin = texts.getStartOffset(row);
                int count = texts.getEndOffset(row) - begin;
                page.putInt(count);
                page.copy(data, begin, count);
            }
        }
    }

    /** Parquet has their bytes from the highest, Arrow from the lowest. */
    private static void putDecimals(DecimalVector decimals, int rows, Page page) {
        ArrowBuf data = decimals.getDataBuffer();
        int width = decimals.getTypeWidth();
        for (int row = 0; row < rows; row++) {
            if (!decimals.isNull(row)) {
                for (int b = width - 1; b >= 0; b--) {
                    page.put(data.getByte((long) row * width + b));
                }
            }
        }
    }

    private static void putFixed(BaseFixedWidthVector vector, int rows, int nulls, Page page) {
        int width = vector.getTypeWidth();
        ArrowBuf data = vector.getDataBuffer();
        if (nulls == 0) {
            page.copy(data, 0, rows * width);
            return;
        }
        for (int row = 0; row < rows; row++) {
            if (!vector.isNull(row)) {
                page.copy(data, (long) row * width, width);
            }
        }
    }

    /** The content of a page, of a size that is known before. */
    private static final class Page {
        final byte[] bytes;
        private int size;

        Page(int length) {
            this.bytes = new byte[length];
        }

        void put(int one) {
            bytes[size++] = (byte) one;
        }

        void putInt(int value) {
            LittleEndian.putInt(bytes, size, value);
            size += Integer.BYTES;
        }

        void putVarint(int value) {
            int left = value;
            while (left >>> 7 != 0) {
                put((left & 0x7f) | 0x80);
                left >>>= 7;
            }
            put(left);
        }

        void copy(ArrowBuf from, long offset, int count) {
            from.getBytes(offset, bytes, size, count);
            size += count;
        }
    }
}
