package io.waterwheel.query.function;

import com.fasterxml.jackson.core.io.NumberOutput;
import io.waterwheel.schema.TimestampUnit;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Locale;

/** Doubles and times as CAST writes them: the same text in every process, whatever its Java. */
final class ValueTexts {
    /** Numbers from ten to this power on are written with an exponent. */
    private static final int LEAST_LARGE = 15;
    /** Numbers below ten to this power are, too. */
    private static final int LEAST_PLAIN = -4;

    private ValueTexts() {}

    /**
     * The fewest digits that are read as the same double, where it has two the nearest: 1, 0.1, 1e+16, -0, NaN,
     * Infinity.
     */
    static String of(double value) {
        if (!Double.isFinite(value)) {
            return Double.toString(value);
        } else if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        // Java's own has more digits than are needed before version 19.
        BigDecimal digits = new BigDecimal(NumberOutput.toString(value, true)).stripTrailingZeros();
        int exponent = digits.precision() - digits.scale() - 1;
        if (exponent >= LEAST_PLAIN && exponent < LEAST_LARGE) {
            return digits.toPlainString();
        }
        return digits.movePointLeft(exponent).toPlainString()
                + String.format(Locale.ROOT, "e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    /** A time in UTC, without zeros at the end of its fraction: 2021-10-07 12:00:01.5. */
    static String of(long time, TimestampUnit unit) {
        LocalDateTime moment = LocalDateTime.ofInstant(unit.instant(time), ZoneOffset.UTC);
        String seconds = String.format(
                Locale.ROOT,
                "%s%04d-%02d-%02d %02d:%02d:%02d",
                moment.getYear() < 0 ? "-" : "",
                Math.abs(moment.getYear()),
                moment.getMonthValue(),
                moment.getDayOfMonth(),
                moment.getHour(),
                moment.getMinute(),
                moment.getSecond());
        return moment.getNano() == 0
                ? seconds
                : seconds + "."
                        + String.format(Locale.ROOT, "%09d", moment.getNano()).replaceAll("0+$", "");
    }
}
