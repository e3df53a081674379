package io.waterwheel.decode;

import io.waterwheel.schema.text.TextEncoding;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;

/** Records in an encoding of one byte a character, brought to UTF-8 and then decoded. One thread. */
final class RecodedDecoder implements RecordDecoder {
    private final TextEncoding encoding;
    private final RecordDecoder decoder;
    private final RecordBytes bytes = new RecordBytes();
    private byte[] utf8 = {};

    RecodedDecoder(TextEncoding encoding, RecordDecoder decoder) {
        this.encoding = encoding;
        this.decoder = decoder;
    }

    @Override
    public void decode(ByteBuffer value, RecordFacts facts, TupleBlock into) throws RejectedRecordException {
        bytes.of(value);
        decoder.decode(utf8(bytes.array, bytes.from, bytes.length), facts, into);
    }

    private ByteBuffer utf8(byte[] bytes, int from, int length) throws RejectedRecordException {
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
        return ByteBuffer.wrap(utf8, 0, encoded);
    }
}
