package io.waterwheel.ingest.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.ingest.QuietDispatcherEffects;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of each kind one request to the catalog is open. */
final class CatalogRequestsTest {
    private static final LogIdentity LOG = LogIdentity.first("one");
    private static final long SECOND = 1_000_000_000;

    private final List<Long> limits = new ArrayList<>();
    private final CatalogRequests requests = new CatalogRequests(
            new QuietDispatcherEffects() {
                @Override
                public void raiseLimit(long limit, LogIdentity log) {
                    limits.add(limit);
                }
            },
            SECOND / 10);

    /** A partition that begins at 0 asks with this limit. */
    @Test
    void aRequestForLimitZeroIsOpenUntilItIsAnswered() {
        requests.raiseLimit(0, LOG, 0);
        requests.raiseLimit(0, LOG, 1);
        requests.raiseLimit(500, LOG, 2);
        assertThat(limits).containsExactly(0L);

        requests.onRoute();
        requests.raiseLimit(500, LOG, 3);
        assertThat(limits).containsExactly(0L, 500L);
    }

    @Test
    void aRequestWithoutAnAnswerMayBeMadeAgainAfterASecond() {
        requests.raiseLimit(0, LOG, 0);
        requests.onTick(SECOND);
        requests.raiseLimit(0, LOG, SECOND);
        assertThat(limits).containsExactly(0L);

        requests.onTick(SECOND + 1);
        assertThat(requests.isLimitAsked()).isFalse();
        requests.raiseLimit(0, LOG, SECOND + 1);
        assertThat(limits).containsExactly(0L, 0L);
    }
}
