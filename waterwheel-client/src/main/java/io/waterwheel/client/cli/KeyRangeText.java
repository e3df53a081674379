package io.waterwheel.client.cli;

import io.waterwheel.query.KeyRange;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code LO..HI}, both included; {@code LO..}, {@code ..HI}; or one value. What a value looks like the stream knows.
 */
final class KeyRangeText implements ITypeConverter<KeyRange> {
    @Override
    public KeyRange convert(String text) {
        int dots = text.indexOf("..");
        if (dots < 0) {
            return KeyRange.of(text);
        }
        String low = text.substring(0, dots);
        String high = text.substring(dots + 2);
        if (low.isEmpty() && high.isEmpty()) {
            throw new TypeConversionException("expected LO..HI with one bound at least, got '" + text + "'");
        }
        return new KeyRange(low.isEmpty() ? null : low, high.isEmpty() ? null : high);
    }
}
