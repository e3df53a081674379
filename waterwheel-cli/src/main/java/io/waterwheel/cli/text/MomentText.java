package io.waterwheel.cli.text;

import java.time.Instant;
import picocli.CommandLine.ITypeConverter;

/** A time, written as for {@code --time}; a day is its first instant. */
public final class MomentText implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
        return TimeRange.first(text);
    }
}
