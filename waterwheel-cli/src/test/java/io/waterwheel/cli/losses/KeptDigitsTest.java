package io.waterwheel.cli.losses;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeptDigitsTest {
    private final KeptDigits digits = new KeptDigits();

    private boolean keeps(String text) {
        byte[] bytes = ("x" + text + "9").getBytes(US_ASCII);
        return digits.keeps(Double.parseDouble(text), bytes, 1, bytes.length - 1);
    }

    @Test
    void digitsOfNumbers() {
        assertThat(keeps("12345678901234567.89")).isFalse();
        assertThat(digits.before).isEqualTo(17);
        assertThat(digits.behind).isEqualTo(2);
        assertThat(keeps("-0.10000000000000001")).isFalse();
        assertThat(keeps("0.30000000000000004")).isTrue();
        assertThat(keeps("0.500000000000000000000")).isTrue();
        assertThat(keeps("9007199254740993")).isFalse();
        assertThat(keeps("9007199254740994")).isTrue();
        assertThat(keeps("1.2345678901234567E300")).isTrue();
        assertThat(keeps("1.23456789012345678E300")).isFalse();
        assertThat(keeps("0.000000e-99999999999")).isTrue();
    }

    /** Beside exact numbers: numbers as Java writes them, and with a digit more or another last one. */
    @Test
    void twin() {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            double drawn = random.nextGaussian() * Math.pow(10, random.nextInt(14) - 4);
            String text = new BigDecimal(Double.toString(drawn)).toPlainString();
            text = random.nextInt(3) == 0 && text.indexOf('.') >= 0 ? text + random.nextInt(10) : text;
            text = random.nextInt(3) == 0 ? text.substring(0, text.length() - 1) + random.nextInt(10) : text;
            double read = Double.parseDouble(text);
            BigDecimal exact = new BigDecimal(text);
            boolean kept = exact.compareTo(new BigDecimal(Double.toString(read))) == 0
                    || exact.compareTo(new BigDecimal(read)) == 0;
            assertThat(keeps(text)).as("%s, seed %s", text, seed).isEqualTo(kept);
        }
    }
}
