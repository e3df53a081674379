package io.waterwheel.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TemplateTest {
    @Test
    void findsTheLeafThatTheBoundsSay() {
        long seed = 1;
        Random random = new Random(seed);
        for (int step = 0; step < 300; step++) {
            long[] bounds = random.longs(random.nextInt(40), -50, 50)
                    .sorted()
                    .distinct()
                    .toArray();
            Template template = Template.of(bounds);
            for (long key = -52; key < 52; key++) {
                long wanted = key;
                int leaf = (int) Arrays.stream(bounds).filter(b -> b <= wanted).count();
                assertThat(template.leafOf(key))
                        .as("seed %s step %s key %s", seed, step, key)
                        .isEqualTo(leaf);
                assertThat(key).isBetween(template.lowKey(leaf), template.highKey(leaf));
            }
        }
    }

    @Test
    void dividesDistinctKeysEvenly() {
        long[] keys = new Random(2).longs(10_000).sorted().distinct().toArray();
        Template template = Template.divide(keys, keys.length, 64);
        int[] sizes = new int[64];
        for (long key : keys) {
            sizes[template.leafOf(key)]++;
        }
        assertThat(template.leaves()).isEqualTo(64);
        assertThat(Arrays.stream(sizes).max().orElseThrow()
                        - Arrays.stream(sizes).min().orElseThrow())
                .isLessThanOrEqualTo(1);
    }

    @Test
    void keepsAHotKeyInOneLeafAndDividesTheRest() {
        long[] keys = new long[1000];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = i < 200 ? i : i < 800 ? 500 : 1000 + i;
        }
        Template template = Template.divide(keys, keys.length, 10);
        assertThat(template.leaves()).isBetween(5, 19);
        assertThat(template.leafOf(501)).isEqualTo(template.leafOf(500) + 1);
        assertThat(template.leafOf(499)).isEqualTo(template.leafOf(500) - 1);
        assertThat(template.indivisible(template.leafOf(500))).isTrue();
    }

    @Test
    void givesTheOnlyKeyALeafOfItsOwn() {
        assertThat(Template.divide(new long[500], 500, 10)).isEqualTo(Template.of(new long[] {0, 1}));
        assertThat(Template.divide(new long[0], 0, 10)).isEqualTo(Template.single());
    }

    @Test
    void boundsThatDoNotAscendAreRefused() {
        assertThatThrownBy(() -> Template.of(new long[] {1, 3, 3}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bound 2 is 3");
    }
}
