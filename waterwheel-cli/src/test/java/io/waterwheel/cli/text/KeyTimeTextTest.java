package io.waterwheel.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.query.KeyTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code --at} and {@code --at-file} mean. */
final class KeyTimeTextTest {
    private static final KeyTime NOON = new KeyTime("3944f2", Instant.parse("2021-10-07T12:00:00Z"));

    @TempDir
    Path folder;

    @Test
    void aDayIsItsFirstInstant() {
        assertThat(new KeyTimeText().convert("a,b,2021-10-07"))
                .isEqualTo(new KeyTime("a,b", Instant.parse("2021-10-07T00:00:00Z")));
        assertThatThrownBy(() -> new KeyTimeText().convert("a,2021-02-30")).hasMessage("there is no day 2021-02-30");
    }

    @Test
    void aByteOrderMarkIsPassedOver() throws Exception {
        Path file = Files.writeString(
                folder.resolve("bom.txt"), "\uFEFF3944f2,2021-10-07T12:00:00Z\n\uFEFF3944f2,2021-10-07T12:00:00Z\n");
        assertThat(KeyTimeText.read(file)).containsExactly(NOON, new KeyTime("\uFEFF3944f2", NOON.time()));
    }

    @Test
    void theLineThatIsNoPairIsNamed() throws Exception {
        Path file = Files.writeString(folder.resolve("pairs.txt"), "3944f2,2021-10-07T12:00:00Z\n3944f2\n");
        assertThatThrownBy(() -> KeyTimeText.read(file))
                .hasMessage("--at-file: line 2: expected KEY,TIME, got '3944f2'");
    }
}
