package io.waterwheel.topology.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.topology.rpc.AdminHandler;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.wire.proto.CheckChunksReply;
import io.waterwheel.wire.proto.CheckChunksRequest;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a call says of chunks that cannot be read, and of those that are damaged. */
final class ChunkChecksTest {
    private static final StreamInfo STREAM = new StreamInfo(
            "s",
            1,
            new Schema(
                    List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Ordered("k"),
                    "t"),
            RecordFormat.BLOCK,
            "s",
            1,
            1);

    static StreamSnapshot snapshot(int chunks) {
        List<ChunkDescriptor> made = new ArrayList<>();
        for (int i = 0; i < chunks; i++) {
            made.add(new ChunkDescriptor("c" + i, 0, 1, 1, i, 3, 1, Region.of(0, 9, i * 100L, i * 100L + 99)));
        }
        return StreamSnapshot.before(STREAM)
                .apply(1, new Edit.Created(RoutingTable.even(1, KeyInterval.ALL, 1), List.of(0L)))
                .apply(2, new Edit.Started(0, 1))
                .apply(3, new Edit.Flushed(0, new IndexerCheckpoint(1, 1, new long[] {10}, 0), made));
    }

    /** A store in which these files are gone, and no other can be read. */
    private static CheckChunksReply check(int chunks, Set<String> gone) throws InterruptedException {
        StreamSnapshot snapshot = snapshot(chunks);
        ClassLoader loader = ChunkChecksTest.class.getClassLoader();
        ChunkStore store = (ChunkStore)
                Proxy.newProxyInstance(loader, new Class<?>[] {ChunkStore.class}, (proxy, method, arguments) -> {
                    String file = (String) arguments[0];
                    throw gone.contains(file) ? new NoSuchFileException(file) : new IOException("planted");
                });
        CoordinatorServices.QueryHandler coordinator = (CoordinatorServices.QueryHandler) Proxy.newProxyInstance(
                loader,
                new Class<?>[] {CoordinatorServices.QueryHandler.class},
                (proxy, method, arguments) -> snapshot);
        AdminHandler.Caller caller = () -> false;
        return ChunkChecks.check(store, coordinator, STREAM, CheckChunksRequest.getDefaultInstance(), caller);
    }

    /** The last chunk of a call tells that the store is there by being damaged. */
    @Test
    void whatCannotBeReadIsNamedBesideWhatIsDamaged() throws Exception {
        CheckChunksReply reply = check(3, Set.of("c2"));
        assertThat(reply.getChunks()).isEqualTo(3);
        assertThat(reply.getDamagesList()).hasSize(3);
        assertThat(reply.getDamages(0)).contains("c0", "cannot be read", "planted");
        assertThat(reply.getDamages(1)).contains("c1", "cannot be read", "planted");
        assertThat(reply.getDamages(2)).contains("c2", "no such file");
    }

    @Test
    void aStoreOfWhichNothingCanBeReadIsAway() {
        assertThatThrownBy(() -> check(3, Set.of()))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("cannot be read now");
    }
}
