package io.waterwheel.cli.proposal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.schema.text.Ipv4;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CsvStyleTest {
    private static final String SIGNS = "0011223456789..,,--+eE 'x\u0663";

    /** What a number is, as a regular expression says it. */
    private static @Nullable String twin(String text, char decimal, char thousands) {
        String groups = thousands == '\0' ? "" : "|[1-9]\\d{0,2}(" + Pattern.quote("" + thousands) + "\\d{3})+";
        byte[] bytes = text.getBytes(UTF_8);
        String mark = Pattern.quote("" + decimal);
        boolean number = (text.matches("[^eE]*") || thousands == '\0' || text.indexOf(thousands) < 0)
                && text.matches("[+-]?((\\d+" + groups + ")(" + mark + "\\d*)?|" + mark + "\\d+)([eE][+-]?\\d{1,3})?");
        text = number && text.startsWith("+") ? text.substring(1) : text;
        return !number || Ipv4.parse(bytes, 0, bytes.length) >= 0
                ? null
                : (thousands == '\0' ? text : text.replace("" + thousands, "")).replace(decimal, '.');
    }

    @Test
    void numbersAreThoseOfARegularExpression() {
        long seed = Long.getLong("seed", 1);
        Random random = new Random(seed);
        int numbers = 0;
        List<String> styles = List.of(".\0", ".,", ",\0", ",.", ", ", ". ", ".'");
        for (int round = 0; round < Rounds.of(20_000, 2_000_000); round++) {
            String marks = styles.get(random.nextInt(styles.size()));
            char decimal = marks.charAt(0);
            char thousands = marks.charAt(1);
            StringBuilder text = new StringBuilder(random.nextInt(3) == 0 ? "-" : "");
            text.append(random.nextInt(random.nextBoolean() ? 2_000 : 200));
            for (int group = random.nextInt(4); group > 0; group--) {
                text.append(thousands == '\0' ? "" : thousands).append(random.nextInt(100, 1_000));
            }
            if (random.nextBoolean()) {
                text.append(decimal).append(random.nextInt(100));
            }
            if (random.nextBoolean()) {
                text.append(random.nextBoolean() ? "e" : "E-").append(random.nextInt(1_200));
            }
            for (int changes = random.nextInt(3); changes > 0; changes--) {
                int at = random.nextInt(text.length());
                String sign = random.nextInt(3) == 0 ? "" : "" + SIGNS.charAt(random.nextInt(SIGNS.length()));
                text.replace(at, at + random.nextInt(2), sign);
                text.append(text.length() == 0 ? "7" : "");
            }
            String expected = twin(text.toString(), decimal, thousands);
            numbers += expected == null ? 0 : 1;
            assertThat(new CsvStyle(';', decimal, thousands).number(text.toString()))
                    .as("'%s' with '%s' and '%s', -Dseed=%d", text, decimal, thousands, seed)
                    .isEqualTo(expected);
        }
        assertThat(numbers).isPositive();
        for (String address : List.of("1.123.123.123", "10.0.0.1", "1.999.999.999", "")) {
            assertThat(new CsvStyle(';', ',', '.').number(address)).isEqualTo(twin(address, ',', '.'));
        }
    }
}
