package io.waterwheel.gateway.answer;

import io.waterwheel.encode.TextRows;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Util;

/**
 * A Parquet file, made batch by batch [Parquet format]. A batch becomes one page of each column; a row group ends when
 * it has {@link #GROUP_BYTES}, and only then are its bytes handed over. Without its footer the file is none, so an
 * answer that breaks off is not taken for whole. One thread.
 */
final class ParquetFile {
    /** The key of the verdict in the footer; the value is JSON. */
    static final String VERDICT = VerdictBatch.KEY;

    /** Compressed bytes at which a row group ends. It has more by what its last batch brings. */
    static final int GROUP_BYTES = 1 << 20;

    /** Column chunks of one file, which the footer lists: some 30 MB of memory. */
    static final int MOST_CHUNKS = 100_000;

    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    private final Consumer<byte[]> out;
    private final List<ParquetColumn> columns = new ArrayList<>();
    private final List<RowGroup> groups = new ArrayList<>();
    private long position;
    private long rows;
    private long groupRows;

    /**
     * Begins the file. Of several columns with one name all but the first get a number behind it: readers find columns
     * by their names.
     *
     * @param out takes the bytes of the file, one after the other
     * @throws WaterwheelException when there are no columns, or too many
     */
    ParquetFile(Schema schema, Consumer<byte[]> out) {
        this.out = out;
        if (schema.getFields().isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_QUERY, "an answer without columns has no form in Parquet: ask for another format");
        }
        requireRoom(schema.getFields().size());
        List<Field> fields = schema.getFields();
        List<String> names = TextRows.apart(fields.stream().map(Field::getName).toList());
        for (int f = 0; f < names.size(); f++) {
            columns.add(new ParquetColumn(names.get(f), fields.get(f)));
        }
        put(MAGIC);
    }

    /** @throws WaterwheelException when the file would have more than {@link #MOST_CHUNKS} column chunks */
    void batch(VectorSchemaRoot batch) {
        if (batch.getRowCount() == 0) {
            return;
        }
        long bytes = 0;
        for (int c = 0; c < columns.size(); c++) {
            ParquetColumn column = columns.get(c);
            column.page(batch.getVector(c), batch.getRowCount());
            bytes += column.bytes();
        }
        groupRows += batch.getRowCount();
        if (bytes >= GROUP_BYTES) {
            endGroup();
        }
    }

    private void endGroup() {
        requireRoom((groups.size() + 1L) * columns.size());
        RowGroup group = new RowGroup(new ArrayList<>(columns.size()), 0, groupRows);
        group.setFile_offset(position);
        for (ParquetColumn column : columns) {
            var chunk = column.describe(position);
            group.addToColumns(chunk);
            group.setTotal_byte_size(
                    group.getTotal_byte_size() + chunk.getMeta_data().getTotal_uncompressed_size());
            group.setTotal_compressed_size(
                    group.getTotal_compressed_size() + chunk.getMeta_data().getTotal_compressed_size());
            put(column.takePages());
        }
        groups.add(group);
        rows += groupRows;
        groupRows = 0;
    }

    private static void requireRoom(long chunks) {
        if (chunks > MOST_CHUNKS) {
            throw new WaterwheelException(
                    ErrorCode.QUERY_TOO_LARGE,
                    "an answer in Parquet has at most " + MOST_CHUNKS + " column chunks, in row groups of about "
                            + GROUP_BYTES + " bytes; this one has more: ask for format=arrow, or for less");
        }
    }

    /** Ends the file, with the verdict as JSON. */
    void end(byte[] verdict) {
        if (groupRows > 0) {
            endGroup();
        }
        SchemaElement root = new SchemaElement("waterwheel");
        root.setNum_children(columns.size());
        List<SchemaElement> schema = new ArrayList<>();
        schema.add(root);
        columns.forEach(column -> schema.add(column.element()));
        FileMetaData footer = new FileMetaData(1, schema, rows, groups);
        footer.setCreated_by("waterwheel");
        footer.addToKey_value_metadata(new KeyValue(VERDICT).setValue(new String(verdict, StandardCharsets.UTF_8)));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            Util.writeFileMetaData(footer, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        put(bytes.toByteArray());
        put(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(bytes.size())
                .array());
        put(MAGIC);
    }

    private void put(byte[] bytes) {
        out.accept(bytes);
        position += bytes.length;
    }
}
