package io.waterwheel.query.rows;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Where a page of sorted rows ended: the values of its last row, and how many rows with just these values were on it
 * and the pages before. Such rows cannot be told apart, so that their number says where the next page begins.
 *
 * <p>As bytes, little-endian: a version, the checksum of the order, the number, then for each field of the layout 0 for
 * null or 1 and the value: as wide as its physical type, or a length of 4 bytes and as many bytes. Immutable.
 */
public final class PagePosition {
    private static final byte VERSION = 1;
    private static final int HEAD_BYTES = 1 + 4 + 4;
    /** In base64 it fits a token. */
    private static final int MAX_BYTES = PageToken.MAX_LENGTH / 4 * 3;

    private final TupleBlock row;
    private final int equal;

    private PagePosition(TupleBlock row, int equal) {
        this.row = row;
        this.equal = equal;
    }

    /** The last row, alone in a block. */
    TupleBlock row() {
        return row;
    }

    /** How many rows with its values were on the pages before. */
    int equal() {
        return equal;
    }

    /**
     * Writes a position; null when the row is too long for a token.
     *
     * @param order names the stream, and the fields and directions that rows are sorted by
     * @param equal number of rows with the same values up to this one
     */
    static @Nullable PageToken token(String order, TupleBlock block, int row, int equal) {
        RowLayout layout = block.layout();
        int length = HEAD_BYTES;
        for (int f = 0; f < layout.fields().size(); f++) {
            PhysicalType type = layout.fields().get(f).type().physical();
            length += 1;
            if (!block.isNull(f, row)) {
                length += type == PhysicalType.VARIABLE
                        ? 4 + TupleBlock.referenceLength(LittleEndian.getLong(column(block, f), row * 8))
                        : type.width();
            }
        }
        if (length > MAX_BYTES) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(VERSION).putInt(checksum(order)).putInt(equal);
        for (int f = 0; f < layout.fields().size(); f++) {
            PhysicalType type = layout.fields().get(f).type().physical();
            if (block.isNull(f, row)) {
                bytes.put((byte) 0);
            } else if (type == PhysicalType.VARIABLE) {
                long reference = LittleEndian.getLong(column(block, f), row * 8);
                int size = TupleBlock.referenceLength(reference);
                bytes.put((byte) 1).putInt(size);
                bytes.put(block.arena(), TupleBlock.referenceOffset(reference), size);
            } else {
                bytes.put((byte) 1).put(column(block, f), row * type.width(), type.width());
            }
        }
        return new PageToken(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array()));
    }

    /**
     * Reads a position.
     *
     * @param order as it was written with
     * @throws WaterwheelException of code BAD_QUERY when the token is of another stream, order or fields, or damaged
     */
    public static PagePosition of(PageToken token, String order, RowLayout layout) {
        try {
            ByteBuffer bytes =
                    ByteBuffer.wrap(Base64.getUrlDecoder().decode(token.text())).order(ByteOrder.LITTLE_ENDIAN);
            if (bytes.get() != VERSION || bytes.getInt() != checksum(order)) {
                throw refused("it is of another query: its stream, fields and order must be the same on all pages");
            }
            int equal = bytes.getInt();
            TupleBlock row = new TupleBlock(layout, 1);
            if (layout.nullMaskColumn() >= 0) {
                row.setNullMask(0, 0);
            }
            for (int f = 0; f < layout.fields().size(); f++) {
                read(bytes, row, f, layout.fields().get(f));
            }
            row.setSize(1);
            if (bytes.hasRemaining() || equal < 1 || equal > ResultSpec.MAX_KEPT_ROWS) {
                throw refused("it is damaged");
            }
            return new PagePosition(row, equal);
        } catch (IllegalArgumentException | BufferUnderflowException e) {
            throw refused("it is damaged");
        }
    }

    private static void read(ByteBuffer bytes, TupleBlock row, int f, Field field) {
        byte present = bytes.get();
        if (present == 0 && field.nullable()) {
            AggregateState.setNull(row, 0, f);
        } else if (present != 1) {
            throw refused("it is damaged");
        } else if (field.type().physical() == PhysicalType.VARIABLE) {
            int length = bytes.getInt();
            if (length < 0 || length > bytes.remaining() || length > TupleBlock.MAX_VALUE_BYTES) {
                throw refused("it is damaged");
            }
            byte[] value = new byte[length];
            bytes.get(value);
            LittleEndian.putLong(column(row, f), 0, row.addToArena(value, 0, length));
        } else {
            bytes.get(column(row, f), 0, field.type().physical().width());
        }
    }

    private static byte[] column(TupleBlock block, int field) {
        return block.column(block.layout().columnOf(field));
    }

    private static int checksum(String order) {
        CRC32C sum = new CRC32C();
        sum.update(order.getBytes(StandardCharsets.UTF_8));
        return (int) sum.getValue();
    }

    private static WaterwheelException refused(String why) {
        return new WaterwheelException(
                ErrorCode.BAD_QUERY, "page: this is not a token that continues the query: " + why);
    }
}
