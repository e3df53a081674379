package io.waterwheel.schema;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** UUIDs and IPv6 addresses as text, beside the JDK's classes. */
final class SixteenBytesTest {
    @Test
    void randomValuesAreReadAndWrittenAsTheJdkDoes() throws Exception {
        for (long seed = 1; seed <= Rounds.of(2000, 200_000); seed++) {
            Random random = new Random(seed);
            byte[] bytes = new byte[FieldType.SIXTEEN];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (random.nextInt(3) == 0 ? random.nextInt() : 0);
            }
            if (random.nextInt(10) == 0) {
                bytes[10] = -1;
                bytes[11] = -1;
                java.util.Arrays.fill(bytes, 0, 10, (byte) 0);
            }
            ByteBuffer both = ByteBuffer.wrap(bytes);
            String uuid = new java.util.UUID(both.getLong(), both.getLong()).toString();
            assertThat(FieldType.UUID.textOfSixteen(bytes, 0))
                    .as("seed %s", seed)
                    .isEqualTo(uuid);
            assertThat(read(FieldType.UUID, uuid)).as("seed %s", seed).isEqualTo(bytes);
            assertThat(read(FieldType.UUID, uuid.toUpperCase(Locale.ROOT)))
                    .as("seed %s", seed)
                    .isEqualTo(bytes);

            String text = FieldType.IPV6.textOfSixteen(bytes, 0);
            assertThat(read(FieldType.IPV6, text)).as("seed %s: %s", seed, text).isEqualTo(bytes);
            String whole = InetAddress.getByAddress(bytes).getHostAddress(); // of a mapped one, 4 bytes
            if (whole.indexOf(':') >= 0) {
                assertThat(read(FieldType.IPV6, whole))
                        .as("seed %s: %s", seed, whole)
                        .isEqualTo(bytes);
                assertThat(InetAddress.getByName(text).getAddress())
                        .as("seed %s: %s", seed, text)
                        .isEqualTo(bytes);
            } else {
                assertThat(text).as("seed %s", seed).isEqualTo("::ffff:" + whole);
            }
        }
    }

    /** RFC 5952, section 4: one form of each address. */
    @ParameterizedTest
    @CsvSource({
        "2001:db8:0:0:0:0:2:1, 2001:db8::2:1",
        "2001:DB8:0000:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "0:0:0:0:0:0:0:0, ::",
        "0:0:0:0:0:0:0:1, ::1",
        "1:0:0:0:0:0:0:0, 1::",
        "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
        "::FFFF:192.0.2.1, ::ffff:192.0.2.1",
        "::13.1.68.3, ::d01:4403",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
    })
    void anAddressHasOneForm(String given, String written) {
        assertThat(FieldType.IPV6.textOfSixteen(read(FieldType.IPV6, given), 0)).isEqualTo(written);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                ":::",
                "1",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "::1:2:3:4:5:6:7:8",
                "1::2::3",
                ":1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:",
                "12345::",
                "g::",
                "::1%eth0",
                "::/64",
                "1:2:3:4:5:6:7:1.2.3.4",
                "::1.2.3",
                "::1.2.3.256",
                "::1.2.3.4:5",
                "1.2.3.4",
                " ::1",
                "::1 ",
            })
    void whatIsNoAddressIsRefused(String text) {
        assertThat(FieldType.IPV6.parseSixteen(text.getBytes(US_ASCII), 0, text.length(), new byte[FieldType.SIXTEEN]))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "123e4567e89b12d3a456426614174000",
                "123e4567-e89b-12d3-a456-42661417400",
                "123e4567-e89b-12d3-a456-4266141740000",
                "123e4567-e89b-12d3-a456_426614174000",
                "123e4567-e89b-12d3-a456-42661417400g",
                "{23e4567-e89b-12d3-a456-42661417400}}",
            })
    void whatIsNoUuidIsRefused(String text) {
        assertThat(FieldType.UUID.parseSixteen(text.getBytes(US_ASCII), 0, text.length(), new byte[FieldType.SIXTEEN]))
                .isFalse();
    }

    @Test
    void otherTypesHaveNoSixteenBytes() {
        assertThatThrownBy(() -> FieldType.BYTES.textOfSixteen(new byte[16], 0))
                .isInstanceOf(IllegalStateException.class);
    }

    private static byte[] read(FieldType type, String text) {
        byte[] framed = ("x" + text + "x").getBytes(US_ASCII);
        byte[] bytes = new byte[FieldType.SIXTEEN];
        assertThat(type.parseSixteen(framed, 1, framed.length - 1, bytes))
                .as(text)
                .isTrue();
        return bytes;
    }
}
