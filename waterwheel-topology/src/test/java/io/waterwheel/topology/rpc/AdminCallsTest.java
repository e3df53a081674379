package io.waterwheel.topology.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.wire.AdminCall;
import io.waterwheel.wire.proto.KillQueryReply;
import io.waterwheel.wire.proto.KillQueryRequest;
import io.waterwheel.wire.proto.StatusReply;
import io.waterwheel.wire.proto.StatusRequest;
import org.junit.jupiter.api.Test;

final class AdminCallsTest {
    private static AdminCalls calls() {
        return new AdminCalls()
                .on(KillQueryRequest.getDefaultInstance(), KillQueryReply.getDefaultInstance(), (request, caller) -> {
                    if (request.getId().isEmpty()) {
                        throw new IllegalArgumentException("which query?");
                    }
                    return KillQueryReply.newBuilder()
                            .setFound(request.getId().equals("q1"))
                            .build();
                });
    }

    @Test
    void aCallReachesItsAnswerByTheNameThatTheServiceGivesIt() throws Exception {
        byte[] request = KillQueryRequest.newBuilder().setId("q1").build().toByteArray();
        byte[] reply = calls().call("kill-query", request, () -> false);
        assertThat(KillQueryReply.parseFrom(reply).getFound()).isTrue();
    }

    @Test
    void wrongCallsAreRefused() {
        assertThatThrownBy(() -> calls().call("kill-querys", new byte[0], () -> false))
                .isInstanceOf(WaterwheelException.class)
                .hasMessage("there is no action 'kill-querys'");
        assertThatThrownBy(() -> calls().call("kill-query", new byte[] {1}, () -> false))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("action kill-query: the body is not its request message");
        assertThatThrownBy(() -> calls().call("kill-query", new byte[0], () -> false))
                .isInstanceOf(WaterwheelException.class)
                .hasMessage("which query?");
    }

    /** A server does not start with a call of admin.proto that it cannot answer, nor with two answers to one. */
    @Test
    void aCallWithoutAnAnswerIsNamed() {
        assertThatThrownBy(() -> calls().requireAll())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("create-stream")
                .hasMessageContaining("check-chunks")
                .message()
                .doesNotContain("kill-query");
        assertThatThrownBy(() -> calls().on(
                                KillQueryRequest.getDefaultInstance(),
                                KillQueryReply.getDefaultInstance(),
                                (request, caller) -> KillQueryReply.getDefaultInstance()))
                .hasMessage("action kill-query is answered twice");
    }

    /** What a newer client asks for is not left undone without a word. */
    @Test
    void aFieldThatThisReleaseDoesNotKnowIsRefused() throws Exception {
        AdminCall<StatusRequest, StatusReply> call =
                AdminCall.of(StatusRequest.getDefaultInstance(), StatusReply.getDefaultInstance());
        assertThat(call.readRequest(new byte[0])).isEqualTo(StatusRequest.getDefaultInstance());
        byte[] fieldNinetyNine = {(byte) 0x98, 6, 1};
        assertThatThrownBy(() -> call.readRequest(fieldNinetyNine))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "status: StatusRequest has fields [99] that this server does not know; client and server are"
                                + " of different releases");
    }

    @Test
    void typesThatTheServiceDoesNotPairAreNoCall() {
        assertThatThrownBy(() -> AdminCall.of(StatusRequest.getDefaultInstance(), KillQueryReply.getDefaultInstance()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no call of StatusRequest that returns KillQueryReply");
        assertThat(AdminCall.of(StatusRequest.getDefaultInstance(), StatusReply.getDefaultInstance())
                        .isRepeatable())
                .isTrue();
    }

    /** The names on the wire; a client of another release uses them. */
    @Test
    void theNamesOnTheWire() {
        assertThat(AdminCall.names())
                .contains(
                        "create-stream",
                        "list-streams",
                        "describe-stream",
                        "drop-stream",
                        "flush-stream",
                        "alter-stream",
                        "show-partitions",
                        "set-partitions",
                        "show-retention",
                        "show-offsets",
                        "set-offsets",
                        "verify-stream",
                        "check-chunks",
                        "status",
                        "list-queries",
                        "kill-query");
    }
}
