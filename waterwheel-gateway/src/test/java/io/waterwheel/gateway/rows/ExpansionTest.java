package io.waterwheel.gateway.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import io.waterwheel.Packed;
import io.waterwheel.gateway.http.PushBudget;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compressed bodies, and what they may make a gateway hold. */
final class ExpansionTest {
    @Test
    void expandsWhatFits() throws IOException {
        byte[] text = new byte[300_000];
        Arrays.fill(text, (byte) 'a');
        PushBudget budget = new PushBudget(1 << 20, "rows");
        try (PushBudget.Lease lease = budget.lease()) {
            assertThat(Expansion.expand(Packed.gzip(text), "GZIP", 300_000, lease))
                    .isEqualTo(text);
        }
        try (PushBudget.Lease lease = budget.lease()) {
            assertThat(Expansion.expand(Zstd.compress(text), "zstd", 300_000, lease))
                    .isEqualTo(text);
            assertThat(budget.taken()).isGreaterThanOrEqualTo(300_000);
        }
        assertThat(budget.taken()).isZero();
    }

    @Test
    void aBombIsRefusedBeforeItIsHeld() throws IOException {
        byte[] bomb = Packed.gzip(new byte[20 << 20]);
        assertThat(bomb.length).isLessThan(100_000);
        PushBudget budget = new PushBudget(1 << 30, "rows");
        try (PushBudget.Lease lease = budget.lease()) {
            assertThatThrownBy(() -> Expansion.expand(bomb, "gzip", 1 << 20, lease))
                    .hasMessageContaining("expands to more than 1048576 bytes");
            assertThat(budget.taken()).isLessThan(3 << 20);
        }
        PushBudget small = new PushBudget(1 << 20, "rows");
        try (PushBudget.Lease lease = small.lease()) {
            assertThatThrownBy(() -> Expansion.expand(bomb, "gzip", 64 << 20, lease))
                    .hasMessageContaining("these rows alone would take more than the 1048576 bytes");
            assertThat(small.taken()).isLessThanOrEqualTo(1 << 20);
            assertThatThrownBy(() -> Expansion.expand(bomb, "gzip", 64 << 20, small.lease()))
                    .hasMessageContaining("rows under way take ");
        }
    }

    /** The memory that a frame wants for itself, 128 MiB here, is bounded too. */
    @Test
    void aFrameOfALargeWindowIsRefused() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (ZstdOutputStream out = new ZstdOutputStream(packed)) {
            out.setLong(27);
            out.write(new byte[1000]);
        }
        try (PushBudget.Lease lease = new PushBudget(1 << 20, "rows").lease()) {
            assertThatThrownBy(() -> Expansion.expand(packed.toByteArray(), "zstd", 1 << 20, lease))
                    .hasMessageContaining("the body is no whole zstd")
                    .hasMessageContaining("memory");
        }
    }

    @Test
    void damageIsSaid() throws IOException {
        byte[] cut = Arrays.copyOf(Packed.gzip(new byte[1000]), 15);
        try (PushBudget.Lease lease = new PushBudget(1 << 20, "rows").lease()) {
            assertThatThrownBy(() -> Expansion.expand(cut, "gzip", 1 << 20, lease))
                    .hasMessageContaining("the body is no whole gzip");
            // The second of two pieces: with the first alone rows would be lost, and the sender told that all is well.
            for (String encoding : List.of("gzip", "zstd")) {
                byte[] piece = encoding.equals("gzip") ? Packed.gzip(new byte[1000]) : Zstd.compress(new byte[1000]);
                byte[] both = Arrays.copyOf(piece, piece.length + 7);
                System.arraycopy(piece, 0, both, piece.length, 7);
                assertThatThrownBy(() -> Expansion.expand(both, encoding, 1 << 20, lease))
                        .hasMessageContaining("the body is no whole " + encoding + ": ")
                        .hasMessageContaining("cut off");
                assertThatThrownBy(() -> Expansion.expand(new byte[0], encoding, 1 << 20, lease))
                        .hasMessageContaining("the body is no whole " + encoding + ": it is cut off");
            }
            assertThatThrownBy(() -> Expansion.expand(cut, "br", 1 << 20, lease))
                    .hasMessageContaining("expected gzip, zstd or identity, got 'br'");
        }
    }
}
