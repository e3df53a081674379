package io.waterwheel.query.function;

import ch.randelshofer.fastdoubleparser.JavaDoubleParser;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.text.MemberPath;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;

/** JSON_TEXT and JSON_NUMBER: the value at a path of JSON text. Null where there is none. */
final class JsonTextNode extends ColumnNode {
    private final ColumnNode operand;
    private final JsonScan scan;

    /** @param type of what is wanted: text or a double */
    JsonTextNode(ValueType type, List<MemberPath.Step> path, ColumnNode operand) {
        super(type);
        this.operand = operand;
        this.scan = new JsonScan(path);
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        Values values = operand.values();
        boolean[] nulls = out.ownNulls(view);
        out.anyNull = true;
        boolean text = type() == ValueType.STRING;
        long[] references = text ? out.ownLongs(view) : new long[0];
        double[] numbers = text ? new double[0] : out.ownDoubles(view);
        TextWalk walk = new TextWalk(view, values);
        // What is found is no longer than what it is found in.
        byte[] written = text ? out.ownBytes(view, walk.bytes(selected, count)) : new byte[0];
        int filled = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            nulls[row] = values.isNull(row);
            if (nulls[row]) {
                continue;
            }
            walk.to(row);
            JsonScan.Kind kind = scan.find(walk.slab, walk.from, walk.from + walk.length);
            if (!text) {
                double number = kind == JsonScan.Kind.NUMBER
                        ? JavaDoubleParser.parseDouble(walk.slab, scan.from(), scan.to() - scan.from())
                        : Double.NaN;
                // Nor is there one that a double can hold: a record with it is refused where it is a field.
                nulls[row] = !Double.isFinite(number);
                numbers[row] = nulls[row] ? 0 : number;
                continue;
            }
            int end = kind == JsonScan.Kind.NONE ? -1 : write(kind, walk.slab, written, filled);
            nulls[row] = end < 0;
            if (end >= 0) {
                references[row] = TupleBlock.reference(filled, end - filled);
                filled = end;
            }
        }
        operand.release(view);
    }

    private int write(JsonScan.Kind kind, byte[] slab, byte[] into, int begin) {
        if (kind == JsonScan.Kind.TEXT) {
            return scan.text(into, begin);
        }
        int length = scan.to() - scan.from();
        System.arraycopy(slab, scan.from(), into, begin, length);
        return begin + length;
    }
}
