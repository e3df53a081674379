package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.LogMemory.LeaderEpoch;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the catalog remembers of the logs of a stream. */
final class LogMemoryTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");

    private final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final LogMemory memory = new LogMemory(
            store,
            new Namespace(store)
                    .create(
                            "s",
                            SCHEMA,
                            RecordFormat.CSV,
                            new StartOfTopic("s", new long[300], LogIdentity.first("one")),
                            1,
                            StreamPolicy.DEFAULT));

    @Test
    void aRaiseSaysWhatItTook() {
        LeaderEpoch ofOne = new LeaderEpoch("one", 3);
        assertThat(memory.raise(Map.of(0, ofOne, 299, ofOne))).containsExactlyInAnyOrder(0, 299);
        assertThat(memory.raise(Map.of(0, new LeaderEpoch("one", 2))))
                .as("a higher one is remembered")
                .containsExactly(0);
        memory.leave("one");
        LeaderEpoch ofTwo = new LeaderEpoch("two", 0);
        assertThat(memory.raise(Map.of(0, ofTwo, 1, ofOne, 299, new LeaderEpoch("one", 4))))
                .containsExactly(0);
        assertThat(memory.read(List.of(0, 1, 299)).epochs()).isEqualTo(Map.of(0, ofTwo, 299, ofOne));
    }

    @Test
    void aTopicThatWasLeftIsTakenBackByHand() {
        memory.leave("one");
        memory.leave("two");
        memory.takeBack("one");
        memory.takeBack("three");
        assertThat(memory.read(List.of()).left()).containsExactly("two");
        assertThat(memory.raise(Map.of(0, new LeaderEpoch("one", 3)))).containsExactly(0);
    }
}
