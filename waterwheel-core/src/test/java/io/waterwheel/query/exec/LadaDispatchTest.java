package io.waterwheel.query.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.ChunkDescriptor;
import io.waterwheel.model.Region;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LadaDispatchTest {
    private static final Map<String, String> SERVERS = Map.of("a", "h1", "b", "h2", "c", "h3");

    @Test
    void everyChunkIsGivenOnce() {
        LadaDispatch dispatch = new LadaDispatch(chunks(100), SERVERS, file -> List.of());
        Set<String> given = new HashSet<>();
        ChunkDescriptor chunk;
        int turn = 0;
        while ((chunk = dispatch.bid(List.of("a", "b", "c").get(turn++ % 3))) != null) {
            assertThat(given.add(chunk.file()))
                    .as("%s given twice", chunk.file())
                    .isTrue();
            dispatch.done(chunk);
        }
        assertThat(given).hasSize(100);
        assertThat(dispatch.left()).isEmpty();
    }

    @Test
    void theSameServersPreferTheSameChunks() {
        Map<String, List<String>> first = take();
        assertThat(take()).isEqualTo(first);
        first.values().forEach(mine -> assertThat(mine.size()).isBetween(20, 47));
    }

    private static Map<String, List<String>> take() {
        LadaDispatch dispatch = new LadaDispatch(chunks(100), SERVERS, file -> List.of());
        Map<String, List<String>> taken = new HashMap<>();
        for (int turn = 0; turn < 100; turn++) {
            String server = List.of("a", "b", "c").get(turn % 3);
            ChunkDescriptor chunk = dispatch.bid(server);
            taken.computeIfAbsent(server, key -> new ArrayList<>()).add(chunk == null ? "" : chunk.file());
        }
        return taken;
    }

    @Test
    void aServerThatHoldsAReplicaComesFirst() {
        LadaDispatch dispatch =
                new LadaDispatch(chunks(30), SERVERS, file -> file.hashCode() % 2 == 0 ? List.of("h2") : List.of("h3"));
        for (int i = 0; i < 10; i++) {
            ChunkDescriptor chunk = dispatch.bid("b");
            assertThat(chunk).isNotNull();
            assertThat(chunk.file().hashCode() % 2).as(chunk.file()).isEqualTo(0);
        }
    }

    @Test
    void aFailedChunkGoesToAnotherServerAndIsLeftWhenAllFailed() {
        LadaDispatch dispatch = new LadaDispatch(chunks(1), SERVERS, file -> List.of());
        for (String server : List.of("a", "b", "c")) {
            ChunkDescriptor chunk = dispatch.bid(server);
            assertThat(chunk).isNotNull();
            dispatch.failed(chunk, server);
            assertThat(dispatch.bid(server)).as("not again to %s", server).isNull();
        }
        assertThat(dispatch.left()).hasSize(1);
    }

    private static List<ChunkDescriptor> chunks(int count) {
        List<ChunkDescriptor> chunks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chunks.add(new ChunkDescriptor("s-1/0-1-" + i + "-0.chunk", 0, 1, i, 0, 1, 1, Region.of(0, 1, 0, 1)));
        }
        return chunks;
    }
}
