package io.waterwheel.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.IntegerDecoder;
import io.waterwheel.chunk.encoding.PartCursor;
import io.waterwheel.chunk.encoding.PartEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a text index says of each trigram beside what the values have, however little may be held and written. */
final class TextIndexWriterTest {
    @Test
    void everyTrigramHasItsLeavesOrAll() {
        TextIndexWriter writer = new TextIndexWriter();
        int dropped = 0;
        int none = 0;
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            int leaves = 1 + random.nextInt(60);
            // Few: those of the trigrams with most leaves are dropped while it is gathered.
            int places = random.nextBoolean() ? 1 << 16 : leaves + random.nextInt(400);
            int most = random.nextBoolean() ? 1 << 16 : 50 + random.nextInt(1500);
            Map<String, BitSet> expected = new TreeMap<>();
            writer.begin(places);
            for (int leaf = 0; leaf < leaves; leaf++) {
                for (int value = random.nextInt(6); value > 0; value--) {
                    add(writer, expected, leaf, random);
                }
                writer.endLeaf();
            }
            boolean made = writer.make(new PartEncoder().integers(), most);
            String about = "seed " + seed;
            if (made) {
                assertThat(writer.content().size()).as(about).isLessThanOrEqualTo(most);
                TextIndex index = read(writer, leaves);
                assertThat(index.size()).as(about).isEqualTo(expected.size());
                expected.forEach((trigram, having) -> {
                    BitSet found = index.leaves(trigram.getBytes(StandardCharsets.ISO_8859_1));
                    assertThat(found == null ? having : found)
                            .as(about + ", " + trigram)
                            .isEqualTo(having);
                });
                assertThat(index.leaves(new byte[] {1, 2, 3})).as(about).isEqualTo(new BitSet());
                dropped += index.inAll() > 0 ? 1 : 0;
            } else {
                none++;
            }
            writer.end();
        }
        assertThat(dropped).isPositive();
        assertThat(none).isBetween(1, 150);
    }

    private static void add(TextIndexWriter writer, Map<String, BitSet> expected, int leaf, Random random) {
        StringBuilder text = new StringBuilder();
        int letters = 2 + random.nextInt(20);
        for (int c = random.nextInt(40); c > 0; c--) {
            text.append((char) ('a' + random.nextInt(letters)));
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
        byte[] slab = new byte[bytes.length + 7];
        System.arraycopy(bytes, 0, slab, 5, bytes.length);
        writer.add(slab, 5, bytes.length);
        for (int at = 0; at + 3 <= text.length(); at++) {
            expected.computeIfAbsent(text.substring(at, at + 3), one -> new BitSet())
                    .set(leaf);
        }
    }

    private static TextIndex read(TextIndexWriter writer, int leaves) {
        int size = writer.content().size();
        byte[] bytes = Arrays.copyOf(writer.content().array(), size + ChunkFormat.SLACK);
        PartCursor in = new PartCursor("text");
        in.set(bytes, 0, size, 0, -1, ChunkFormat.TAG_TEXTS);
        TextIndex index = TextIndex.read(in, new IntegerDecoder(), leaves);
        in.requireEnd();
        return Objects.requireNonNull(index);
    }
}
