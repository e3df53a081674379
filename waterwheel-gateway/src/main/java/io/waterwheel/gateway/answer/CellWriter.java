package io.waterwheel.gateway.answer;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.wire.TypeMetadata;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;

/**
 * Writes the values of one vector as {@link io.waterwheel.encode.TextRows} writes objects: times as numbers in the unit
 * of their type since 1970 UTC, bytes in base64, in JSON null for numbers that are not finite. One thread.
 */
abstract class CellWriter {
    /** The form of a value as text. */
    enum Form {
        JSON,
        CSV
    }

    /** Writes the value of a row, which is not null. */
    abstract void write(int row, Utf8Buffer out);

    static CellWriter of(FieldVector vector, Form form) {
        if (vector instanceof IntVector ints) {
            return new Whole() {
                @Override
                long at(int row) {
                    return ints.get(row);
                }
            };
        } else if (vector instanceof BigIntVector longs) {
            return new Whole() {
                @Override
                long at(int row) {
                    return longs.get(row);
                }
            };
        } else if (vector instanceof TimeStampVector times) {
            return new Whole() {
                @Override
                long at(int row) {
                    return times.get(row);
                }
            };
        } else if (vector instanceof Float4Vector floats) {
            return new Floating() {
                @Override
                String text(int row) {
                    float value = floats.get(row);
                    return Float.isFinite(value) || form == Form.CSV ? Float.toString(value) : "null";
                }
            };
        } else if (vector instanceof Float8Vector doubles) {
            return new Floating() {
                @Override
                String text(int row) {
                    double value = doubles.get(row);
                    return Double.isFinite(value) || form == Form.CSV ? Double.toString(value) : "null";
                }
            };
        } else if (vector instanceof BitVector bits) {
            return new CellWriter() {
                @Override
                void write(int row, Utf8Buffer out) {
                    out.ascii(bits.get(row) != 0 ? "true" : "false");
                }
            };
        }
        if (vector instanceof DecimalVector decimals) {
            return new CellWriter() {
                @Override
                void write(int row, Utf8Buffer out) {
                    out.ascii(Decimals.text(decimals.getObject(row)));
                }
            };
        }
        return new Text(vector, form);
    }

    private abstract static class Whole extends CellWriter {
        abstract long at(int row);

        @Override
        void write(int row, Utf8Buffer out) {
            out.number(at(row));
        }
    }

    private abstract static class Floating extends CellWriter {
        abstract String text(int row);

        @Override
        void write(int row, Utf8Buffer out) {
            out.ascii(text(row));
        }
    }

    /** What is text in both forms. */
    private static final class Text extends CellWriter {
        private final FieldVector vector;
        private final Form form;
        private byte[] scratch = new byte[64];

        Text(FieldVector vector, Form form) {
            this.vector = vector;
            this.form = form;
        }

        @Override
        void write(int row, Utf8Buffer out) {
            if (vector instanceof VarCharVector) {
                int count = bytes((BaseVariableWidthVector) vector, row);
                put(scratch, count, out);
            } else if (vector instanceof VarBinaryVector binary) {
                byte[] encoded = Base64.getEncoder().encode(binary.get(row));
                put(encoded, encoded.length, out);
            } else {
                byte[] text = text(row).getBytes(StandardCharsets.US_ASCII);
                put(text, text.length, out);
            }
        }

        private void put(byte[] text, int count, Utf8Buffer out) {
            if (form == Form.JSON) {
                out.jsonString(text, 0, count);
            } else {
                out.csvString(text, 0, count);
            }
        }

        private int bytes(BaseVariableWidthVector texts, int row) {
            int begin = texts.getStartOffset(row);
            int count = texts.getEndOffset(row) - begin;
            if (scratch.length < count) {
                scratch = new byte[Math.max(count, (int) Math.min(2L * scratch.length, 1 << 20))];
            }
            texts.getDataBuffer().getBytes(begin, scratch, 0, count);
            return count;
        }

        private String text(int row) {
            if (vector instanceof UInt4Vector addresses) {
                return Ipv4.text(addresses.get(row));
            }
            FieldType type = TypeMetadata.sixteen(vector.getField().getMetadata());
            if (type == null) {
                throw new IllegalStateException("field " + vector.getField() + ": its type is unknown to this gateway");
            }
            return type.textOfSixteen(((FixedSizeBinaryVector) vector).get(row), 0);
        }
    }
}
