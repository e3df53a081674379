package io.waterwheel.cli.text;

import io.waterwheel.geo.Box;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code LON1,LAT1,LON2,LAT2}, degrees. */
public final class BoxText implements ITypeConverter<Box> {
    @Override
    public Box convert(String text) {
        List<String> parts = List.of(text.split(",", -1));
        if (parts.size() != 4) {
            throw new TypeConversionException("expected LON1,LAT1,LON2,LAT2, got '" + text + "'");
        }
        try {
            Box box = new Box(
                    Double.parseDouble(parts.get(0)),
                    Double.parseDouble(parts.get(1)),
                    Double.parseDouble(parts.get(2)),
                    Double.parseDouble(parts.get(3)));
            checkDegrees(box.west(), box.south());
            checkDegrees(box.east(), box.north());
            return box;
        } catch (NumberFormatException e) {
            throw new TypeConversionException("expected LON1,LAT1,LON2,LAT2 in degrees, got '" + text + "'");
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }

    /** Beyond them there is nothing: a swapped pair is likelier than a question for nothing. */
    static void checkDegrees(double longitude, double latitude) {
        if (Math.abs(longitude) > 180) {
            throw new IllegalArgumentException("expected a longitude from -180 to 180, got " + longitude);
        }
        if (Math.abs(latitude) > 90) {
            throw new IllegalArgumentException(
                    "expected a latitude from -90 to 90, got " + latitude + "; the longitude comes first");
        }
    }
}
