package io.waterwheel.topology.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ScrubFindingsTest {
    private final InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());

    private static List<String> sentences(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "chunk " + i + " is damaged")
                .toList();
    }

    @Test
    void eachStreamHasAFairShareAndSaysHowManyMoreThereAre() {
        ScrubFindings findings = new ScrubFindings(store, () -> {});
        findings.publish(Map.of(1, sentences(5_000), 2, sentences(3), 3, sentences(4_000)));
        Map<Integer, List<String>> read = findings.read();
        assertThat(read).containsOnlyKeys(1, 2, 3);
        assertThat(read.get(1))
                .hasSize(98 + 1)
                .startsWith("chunk 0 is damaged", "chunk 1 is damaged")
                .endsWith("chunk 97 is damaged", "and 4902 more, see the log");
        assertThat(read.get(2)).containsExactlyElementsOf(sentences(3));
        assertThat(read.get(3)).hasSize(98 + 1).endsWith("and 3902 more, see the log");
        assertThat(read.get(3)).filteredOn(ScrubFindings::isRest).hasSize(1);

        findings.publish(Map.of(1, sentences(ScrubFindings.MOST)));
        assertThat(findings.read()).isEqualTo(Map.of(1, sentences(ScrubFindings.MOST)));

        Map<Integer, List<String>> many = new TreeMap<>();
        IntStream.range(0, 1_000).forEach(stream -> many.put(stream, sentences(2)));
        findings.publish(many);
        assertThat(findings.read()).hasSize(ScrubFindings.MOST).allSatisfy((stream, said) -> assertThat(said)
                .containsExactly("chunk 0 is damaged", "and 1 more, see the log"));
    }

    @Test
    void aCatalogThatWasRemovedIsNoOtherWriter() {
        CatalogStore removed = (CatalogStore) Proxy.newProxyInstance(
                CatalogStore.class.getClassLoader(), new Class<?>[] {CatalogStore.class}, (proxy, method, args) -> {
                    if (method.getName().equals("commit")) {
                        throw new CatalogStore.ConflictException("/ is absent");
                    }
                    return method.invoke(store, args);
                });
        ScrubFindings findings = new ScrubFindings(removed, () -> {
            throw new WaterwheelException(ErrorCode.CATALOG_LOST, "its nodes were removed");
        });
        assertThatThrownBy(() -> findings.publish(Map.of(1, sentences(1))))
                .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(ErrorCode.CATALOG_LOST))
                        .isTrue());
    }
}
