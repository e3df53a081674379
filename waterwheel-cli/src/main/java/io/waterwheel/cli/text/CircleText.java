package io.waterwheel.cli.text;

import io.waterwheel.geo.Circle;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code LON,LAT,METRES}: degrees and metres. */
public final class CircleText implements ITypeConverter<Circle> {
    @Override
    public Circle convert(String text) {
        List<String> parts = List.of(text.split(",", -1));
        if (parts.size() != 3) {
            throw new TypeConversionException("expected LON,LAT,METRES, got '" + text + "'");
        }
        try {
            double longitude = Double.parseDouble(parts.get(0));
            double latitude = Double.parseDouble(parts.get(1));
            BoxText.checkDegrees(longitude, latitude);
            return new Circle(longitude, latitude, Double.parseDouble(parts.get(2)));
        } catch (NumberFormatException e) {
            throw new TypeConversionException("expected LON,LAT in degrees and METRES, got '" + text + "'");
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
