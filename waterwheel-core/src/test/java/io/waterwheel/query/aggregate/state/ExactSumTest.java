package io.waterwheel.query.aggregate.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.tuple.LittleEndian;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ExactSumTest {
    @Test
    void isTheExactSumHoweverItIsDivided() {
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            List<Double> numbers = numbers(random);
            BigDecimal exact = BigDecimal.ZERO;
            for (double number : numbers) {
                exact = exact.add(new BigDecimal(number));
            }
            for (int division = 0; division < 3; division++) {
                assertThat(sum(numbers, random)).as("seed %s", seed).isEqualTo(exact.doubleValue() + 0.0);
                Collections.shuffle(numbers, random);
            }
        }
    }

    private static List<Double> numbers(Random random) {
        List<Double> numbers = new ArrayList<>();
        int kind = random.nextInt(5);
        for (int i = random.nextInt(random.nextInt(20) == 0 ? 5000 : 40); i >= 0; i--) {
            double number =
                    switch (kind) {
                        case 0 -> random.nextGaussian();
                        case 1 -> Double.longBitsToDouble(random.nextLong());
                        case 2 -> Double.longBitsToDouble(random.nextLong() & 0x800FFFFFFFFFFFFFL);
                        case 3 -> random.nextBoolean() ? Double.MAX_VALUE : -Double.MAX_VALUE;
                        default -> Math.scalb(1 + random.nextInt(3), random.nextInt(120)) * (random.nextInt(3) - 1);
                    };
            if (Double.isFinite(number)) {
                numbers.add(number);
                if (random.nextInt(3) == 0) {
                    numbers.add(-number);
                }
            }
        }
        return numbers;
    }

    private static double sum(List<Double> numbers, Random random) {
        ExactSum whole = new ExactSum();
        ExactSum part = new ExactSum();
        for (double number : numbers) {
            part.add(number);
            if (random.nextInt(10) == 0) {
                byte[] bytes = part.write();
                whole.add(bytes, 0, bytes.length);
                part = new ExactSum();
            }
        }
        byte[] bytes = part.write();
        whole.add(bytes, 0, bytes.length);
        return whole.value() + 0.0;
    }

    /** Carries are moved before and after digits that are greater than written ones. */
    @Test
    void digitsOfAnySizeAreAdded() {
        byte[] part = new byte[4 + 8];
        LittleEndian.putShort(part, 2, (short) 34);
        LittleEndian.putLong(part, 4, (1L << 62) - 3);
        ExactSum sum = new ExactSum();
        for (int i = 0; i < 5; i++) {
            sum.add(part, 0, part.length);
        }
        // More than a digit holds.
        assertThat(sum.value()).isEqualTo(5 * 0x1p62 * 0x1p14);
        LittleEndian.putLong(part, 4, -(1L << 62));
        for (int i = 0; i < 4; i++) {
            sum.add(part, 0, part.length);
        }
        // 2^62 - 15 units of 2^(32 * 34 - 1074).
        assertThat(sum.value()).isEqualTo(0x1p62 * 0x1p14);
        assertThat(sum.exact().digits()).isEqualTo(BigInteger.ONE.shiftLeft(62).subtract(BigInteger.valueOf(15)));
    }

    @Test
    void infinitiesAndNanAddUpAsIeeeSays() {
        assertThat(of(1, Double.POSITIVE_INFINITY)).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(of(Double.NEGATIVE_INFINITY, 5)).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(of(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY)).isNaN();
        assertThat(of(Double.NaN, Double.POSITIVE_INFINITY)).isNaN();
        assertThat(of()).isZero();
    }

    private static double of(double... numbers) {
        ExactSum sum = new ExactSum();
        for (double number : numbers) {
            sum.add(number);
        }
        return sum.value();
    }
}
