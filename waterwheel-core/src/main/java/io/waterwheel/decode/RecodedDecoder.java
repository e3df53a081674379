package io.waterwheel.decode;

import io.waterwheel.schema.text.TextEncoding;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;

/** Records in an encoding of one byte a character, brought to UTF-8 and then decoded. One thread. */
final class RecodedDecoder implements RecordDecoder {
    private final TextEncoding encoding;
    private final RecordDecoder decoder;
    private byte[] copy = {};
    private byte[] utf8 = {};

    RecodedDecoder(TextEncoding encoding, RecordDecoder decoder) {
        this.encoding = encoding;
        this.decoder = decoder;
    }

    @Override
    public void decode(ByteBuffer value, TupleBlock into) throws RejectedRecordException {
        int length = value.remaining();
        if (value.hasArray()) {
            decode(value.array(), value.arrayOffset() + value.position(), length, into);
            return;
        }
        if (copy.length < length) {
            copy = new byte[length];
        }
        value.get(value.position(), copy, 0, length);
        decode(copy, 0, length, into);
    }

    private void decode(byte[] bytes, int from, int length, TupleBlock into) throws RejectedRecordException {
        if (utf8.length < length * TextEncoding.MOST_BYTES) {
            utf8 = new byte[length * TextEncoding.MOST_BYTES];
        }
        int encoded = encoding.toUtf8(bytes, from, length, utf8);
        if (encoded < 0) {
            throw new RejectedRecordException(
                    RefusalKind.TEXT,
                    String.format(
                            "byte %d, 0x%02X, is no character of %s",
                            -1 - encoded, bytes[from - 1 - encoded], encoding.label()));
        }
        decoder.decode(ByteBuffer.wrap(utf8, 0, encoded), into);
    }
}
