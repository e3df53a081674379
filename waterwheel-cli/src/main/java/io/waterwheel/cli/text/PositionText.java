package io.waterwheel.cli.text;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code PARTITION:OFFSET}, as {@code flush} prints them, and {@code append --no-wait}. */
public final class PositionText implements ITypeConverter<Map.Entry<Integer, Long>> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})[:\\t=](\\d{1,18})");

    /** As {@code --at-least} takes them, by partition. */
    public static String of(Map<Integer, Long> positions) {
        return new TreeMap<>(positions)
                .entrySet().stream()
                        .map(position -> position.getKey() + ":" + position.getValue())
                        .collect(Collectors.joining(","));
    }

    @Override
    public Map.Entry<Integer, Long> convert(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new TypeConversionException(
                    "expected PARTITION:OFFSET, two whole numbers such as 0:1200, got '" + text + "'");
        }
        return Map.entry(Integer.valueOf(parts.group(1)), Long.valueOf(parts.group(2)));
    }
}
