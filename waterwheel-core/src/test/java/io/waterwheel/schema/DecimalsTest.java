package io.waterwheel.schema;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.schema.text.Decimals;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Decimals as text, as 64 bits and as 16 bytes, beside BigDecimal. */
final class DecimalsTest {
    private final Decimals decimals = new Decimals();

    @Test
    void textIsReadAsBigDecimalReadsIt() {
        Random random = new Random(7);
        for (int i = 0; i < 200_000; i++) {
            int precision = 1 + random.nextInt(38);
            int scale = random.nextInt(precision + 1);
            String text = text(random);
            @Nullable BigDecimal expected = exact(text, precision, scale);
            String problem = parse(text, precision, scale);
            String about = "'" + text + "' as decimal(" + precision + ", " + scale + ")";
            if (expected == null) {
                assertThat(problem).as(about).isNotNull();
            } else {
                assertThat(problem).as(about).isNull();
                assertThat(decimals.value(scale)).as(about).isEqualTo(expected);
                if (precision <= Decimals.SHORT_DIGITS) {
                    assertThat(BigDecimal.valueOf(decimals.low, scale))
                            .as(about)
                            .isEqualTo(expected);
                }
            }
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder(new String[] {"", "", "-", "+"}[random.nextInt(4)]);
        digits(random, text);
        if (random.nextInt(3) > 0) {
            text.append('.');
            digits(random, text);
        }
        if (random.nextInt(4) == 0) {
            text.append(random.nextBoolean() ? "e" : "E").append(random.nextInt(60) - 30);
        }
        if (random.nextInt(20) == 0 && text.length() > 0) {
            text.insert(random.nextInt(text.length() + 1), "x.- +".charAt(random.nextInt(5)));
        }
        return text.toString();
    }

    private static void digits(Random random, StringBuilder text) {
        int count = random.nextInt(random.nextInt(3) == 0 ? 40 : 6);
        for (int i = 0; i < count; i++) {
            text.append(random.nextBoolean() ? 0 : random.nextInt(10));
        }
    }

    /** The value with its places; null when it is no decimal of the type. */
    private static @Nullable BigDecimal exact(String text, int precision, int scale) {
        try {
            BigDecimal value = new BigDecimal(text).setScale(scale);
            return value.unscaledValue().abs().compareTo(BigInteger.TEN.pow(precision)) < 0 ? value : null;
        } catch (NumberFormatException | ArithmeticException e) {
            return null;
        }
    }

    private @Nullable String parse(String text, int precision, int scale) {
        String framed = "7" + text + "7";
        return decimals.parse(framed.getBytes(US_ASCII), 1, framed.length() - 1, precision, scale);
    }

    @Test
    void sixteenBytesHaveTheOrderOfNumbers() {
        Random random = new Random(3);
        FieldType type = FieldType.decimal(38, 10);
        for (int i = 0; i < 20_000; i++) {
            BigDecimal a = DecimalTypes.value(type, random);
            BigDecimal b = DecimalTypes.value(type, random);
            byte[] x = Decimals.bytes(a, 38, 10);
            byte[] y = Decimals.bytes(b, 38, 10);
            assertThat(Integer.signum(Arrays.compareUnsigned(x, y)))
                    .as("%s and %s", a, b)
                    .isEqualTo(a.compareTo(b));
            assertThat(type.object(x)).isEqualTo(a);
            assertThat(type.holds(x, 0)).isTrue();
        }
    }

    @Test
    void theEndsOfATypeAreHeldAndNoMore() {
        for (FieldType type : DecimalTypes.decimals()) {
            BigInteger limit = BigInteger.TEN.pow(type.precision());
            for (BigInteger unscaled : new BigInteger[] {limit, limit.negate()}) {
                boolean held = type.variable()
                        ? type.holds(Decimals.bytes(unscaled), 0)
                        : type.holds(unscaled.longValueExact());
                assertThat(held).as("%s of %s", unscaled, type).isFalse();
                BigInteger last = unscaled.subtract(BigInteger.valueOf(unscaled.signum()));
                held = type.variable() ? type.holds(Decimals.bytes(last), 0) : type.holds(last.longValueExact());
                assertThat(held).as("%s of %s", last, type).isTrue();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.234 | a decimal with at most 2 places behind the point",
                "1000 | a decimal of at most 3 digits before the point and 2 behind it",
                "1e99999999999 | a decimal of at most 3 digits before the point and 2 behind it",
                "1e-99999999999 | a decimal with at most 2 places behind the point",
                "NaN | a decimal of at most 3 digits before the point and 2 behind it",
                "1. .0 | a decimal of at most 3 digits before the point and 2 behind it",
                ". | a decimal of at most 3 digits before the point and 2 behind it",
                "1e | a decimal of at most 3 digits before the point and 2 behind it"
            })
    void whatDoesNotFitIsSaid(String text, String expected) {
        assertThat(parse(text, 5, 2)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.50", "1.5000", "15e-1", "+1.5", "0001.5", "0.15E1", "1.5"})
    void equalTextsAreOneValue(String text) {
        assertThat(parse(text, 5, 2)).isNull();
        assertThat(decimals.low).isEqualTo(150);
        assertThat(decimals.high).isZero();
    }

    /** Its zeros would take the memory. */
    @Test
    void aZeroMayHaveAnyPlaces() {
        for (int scale : new int[] {500_000_000, -500_000_000}) {
            BigDecimal zero = new BigDecimal(BigInteger.ZERO, scale);
            assertThat(Decimals.unscaledOf(zero, 18, 2)).isZero();
        }
        byte[] text = ("0." + "0".repeat(99_999) + "1e150000").getBytes(US_ASCII);
        assertThat(new Decimals().parse(text, 0, text.length, 18, 2)).isNotNull();
    }

    @Test
    void typesHaveNames() {
        for (int precision = 1; precision <= 38; precision++) {
            for (int scale = 0; scale <= precision; scale++) {
                FieldType type = FieldType.decimal(precision, scale);
                assertThat(type.schemaName()).isEqualTo("decimal(" + precision + ", " + scale + ")");
                assertThat(FieldType.named(type.schemaName())).isSameAs(type);
                assertThat(FieldType.named("decimal(" + precision + "," + scale + ")"))
                        .isSameAs(type);
                assertThat(FieldType.valueOf(type.name())).isSameAs(type);
            }
        }
        assertThat(FieldType.named("decimal(7)")).isSameAs(FieldType.decimal(7, 0));
        for (String wrong : new String[] {"decimal", "decimal(0)", "decimal(39, 2)", "decimal(5, 6)", "decimal(5, 2"}) {
            assertThat(FieldType.named(wrong)).as(wrong).isNull();
        }
        assertThatThrownBy(() -> FieldType.decimal(39, 2))
                .hasMessage("decimal(39, 2): expected 1 to 38 digits, and as many of them behind the point at most");
    }
}
