package io.waterwheel.client.cli;

import io.waterwheel.model.KeyInterval;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code LO..HI}, both included; {@code LO..}, {@code ..HI}; or one key. */
final class KeyRange implements ITypeConverter<KeyInterval> {
    @Override
    public KeyInterval convert(String text) {
        int dots = text.indexOf("..");
        try {
            if (dots < 0) {
                long key = Long.parseLong(text);
                return new KeyInterval(key, key);
            }
            String low = text.substring(0, dots);
            String high = text.substring(dots + 2);
            return new KeyInterval(
                    low.isEmpty() ? Long.MIN_VALUE : Long.parseLong(low),
                    high.isEmpty() ? Long.MAX_VALUE : Long.parseLong(high));
        } catch (NumberFormatException e) {
            throw new TypeConversionException("expected LO..HI, two whole numbers of 64 bits, got '" + text + "'");
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
