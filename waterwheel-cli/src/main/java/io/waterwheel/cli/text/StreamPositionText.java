package io.waterwheel.cli.text;

import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code STREAM:PARTITION:OFFSET}. */
public final class StreamPositionText implements ITypeConverter<StreamPositionText.Position> {
    /** An offset of one partition of a stream's topic. */
    public record Position(String stream, int partition, long offset) {}

    @Override
    public Position convert(String text) {
        int colon = text.indexOf(':');
        if (colon < 1) {
            throw new TypeConversionException(
                    "expected STREAM:PARTITION:OFFSET, such as orders:0:1200, got '" + text + "'");
        }
        Map.Entry<Integer, Long> position = new PositionText().convert(text.substring(colon + 1));
        return new Position(text.substring(0, colon), position.getKey(), position.getValue());
    }
}
