package io.waterwheel.topology.admin;

import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.QueryState;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.wire.proto.KillQueryReply;
import io.waterwheel.wire.proto.KillQueryRequest;
import io.waterwheel.wire.proto.ListQueriesReply;
import io.waterwheel.wire.proto.ListQueriesRequest;
import io.waterwheel.wire.proto.OpenQuery;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What of this process's queries is open, and its end, as the calls of {@code admin.proto} have them. */
public final class OpenQueries {
    private static final Logger LOG = LoggerFactory.getLogger(OpenQueries.class);

    private final Admission admission;

    public OpenQueries(Admission admission) {
        this.admission = admission;
    }

    /** Answers list-queries and kill-query. */
    public void register(AdminCalls calls) {
        calls.on(
                        ListQueriesRequest.getDefaultInstance(),
                        ListQueriesReply.getDefaultInstance(),
                        (request, caller) -> list())
                .on(
                        KillQueryRequest.getDefaultInstance(),
                        KillQueryReply.getDefaultInstance(),
                        (request, caller) -> kill(request));
    }

    private ListQueriesReply list() {
        ListQueriesReply.Builder reply = ListQueriesReply.newBuilder();
        for (QueryState state : admission.list()) {
            reply.addQueries(OpenQuery.newBuilder()
                    .setId(state.id())
                    .setClient(state.client())
                    .setText(state.query())
                    .setLane(state.lane() == null ? "" : state.lane().name().toLowerCase(Locale.ROOT))
                    .setStage(state.stage().name().toLowerCase(Locale.ROOT))
                    .setTuples(state.tuples())
                    .setRows(state.rows())
                    .setAgeMillis(state.age().toMillis()));
        }
        return reply.build();
    }

    private KillQueryReply kill(KillQueryRequest request) {
        boolean found = admission.kill(request.getId());
        if (found) {
            LOG.info("[coordinator] query {} is ended by a call", request.getId());
        }
        return KillQueryReply.newBuilder().setFound(found).build();
    }
}
