package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.store.CatalogStore.ConflictException;
import io.waterwheel.catalog.store.CatalogStore.UnknownOutcomeException;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.WaterwheelException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A change that meets others. */
final class CatalogTransactionTest {
    private final List<String> calls = new ArrayList<>();
    private final CatalogTransaction change = new CatalogTransaction(
            new ForwardingCatalogStore(new InMemoryCatalogStore(new InMemoryCatalogStore.Tree())) {
                @Override
                public void pause(int tries) {
                    calls.add("pause " + tries);
                }

                @Override
                public void sync() {
                    calls.add("sync");
                }
            },
            "it could not be done");

    @Test
    void betweenTriesItPausesAndThenSeesWhatOthersDid() {
        String done = change.run(before -> {
            calls.add(before == null ? "first" : before.getClass().getSimpleName());
            if (before == null) {
                throw new ConflictException("another");
            } else if (before instanceof ConflictException) {
                throw new UnknownOutcomeException("nobody knows", new IllegalStateException());
            }
            return "done";
        });
        assertThat(done).isEqualTo("done");
        assertThat(calls)
                .containsExactly(
                        "first", "pause 1", "sync", "ConflictException", "pause 2", "sync", "UnknownOutcomeException");
    }

    @Test
    void whoNeverGetsThroughIsTold() {
        assertThatThrownBy(() -> change.run(before -> {
                    throw new ConflictException("another");
                }))
                .isInstanceOfSatisfying(WaterwheelException.class, e -> {
                    assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.TEMPORARY);
                    assertThat(e.code()).isEqualTo("CATALOG_BUSY");
                    assertThat(e).hasMessageStartingWith("it could not be done in 100 tries, since others");
                    assertThat(e).hasCauseInstanceOf(ConflictException.class);
                });
        assertThat(calls).hasSize(2 * 99);
    }
}
