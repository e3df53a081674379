package io.waterwheel.decode;

import java.util.Locale;

/** Why a record or a row is no tuple, in a word, for counting; what exactly is wrong is told in text. */
public enum RefusalKind {
    /** The record is not of the stream's format: empty, no JSON object, a damaged block, a quote that does not end. */
    FORM,
    /** It has other fields than the schema: one lacks, is there twice, or there are too many. */
    FIELDS,
    /** A value is not of its field's type, or is null and may not be. */
    VALUE,
    /** Text is not in the encoding of the stream. */
    TEXT,
    /** The values have no key, such as a position beyond the poles. */
    KEY,
    /** It has more bytes or rows than may be. */
    SIZE;

    /** As a label of metrics has it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
