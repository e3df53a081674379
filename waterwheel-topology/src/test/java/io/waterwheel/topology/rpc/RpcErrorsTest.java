package io.waterwheel.topology.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.waterwheel.error.ErrorCode;
import org.junit.jupiter.api.Test;

/** What handlers throw, as receivers are told. */
final class RpcErrorsTest {
    @Test
    void aCallThatItsClientCancelledIsNoDefect() {
        RuntimeException cancelled =
                Status.CANCELLED.withDescription("call already cancelled").asRuntimeException();
        assertThat(RpcErrors.of(cancelled).is(ErrorCode.CLIENT_GONE)).isTrue();
        assertThat(RpcErrors.of(Status.INTERNAL.asRuntimeException()).is(ErrorCode.BUG))
                .isTrue();
        assertThat(RpcErrors.of(new IllegalStateException("made up")).is(ErrorCode.BUG))
                .isTrue();
    }
}
