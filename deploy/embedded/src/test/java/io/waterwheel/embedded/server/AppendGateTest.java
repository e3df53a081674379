package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.junit.jupiter.api.Test;

final class AppendGateTest {
    private final AtomicReference<String> full = new AtomicReference<>("");
    private final AtomicReference<String> wasFull = new AtomicReference<>("");

    @Test
    void refusesRecordsWhereThereIsNoRoomAndReadersWhereLogsMayHaveUnconfirmedOnes() throws Exception {
        try (AppendGate gate = new AppendGate()) {
            gate.configure(AppendGate.settings("gate-of-a-test", new AppendGate.Reasons(full::get, wasFull::get)));
            passes(gate, ApiKeys.PRODUCE, AclOperation.WRITE);
            passes(gate, ApiKeys.FETCH, AclOperation.READ);

            full.set("no room");
            refuses(gate, ApiKeys.PRODUCE, AclOperation.WRITE, "no room");
            passes(gate, ApiKeys.FETCH, AclOperation.READ);
            passes(gate, ApiKeys.LIST_OFFSETS, AclOperation.DESCRIBE);

            wasFull.set("was full");
            refuses(gate, ApiKeys.FETCH, AclOperation.READ, "was full");
            passes(gate, ApiKeys.FETCH, AclOperation.CLUSTER_ACTION);
            passes(gate, ApiKeys.LIST_OFFSETS, AclOperation.DESCRIBE);
        }
    }

    private static void passes(AppendGate gate, ApiKeys request, AclOperation operation) throws Exception {
        assertThat(gate.authorize(context(request), actions(operation))).containsExactly(AuthorizationResult.ALLOWED);
    }

    private static void refuses(AppendGate gate, ApiKeys request, AclOperation operation, String why) {
        assertThatThrownBy(() -> gate.authorize(context(request), actions(operation)))
                .isInstanceOf(AppendGate.Refusal.class)
                .hasMessage(why);
    }

    private static List<Action> actions(AclOperation operation) {
        ResourceType type = operation == AclOperation.CLUSTER_ACTION ? ResourceType.CLUSTER : ResourceType.TOPIC;
        return List.of(new Action(operation, new ResourcePattern(type, "own", PatternType.LITERAL), 1, true, true));
    }

    private static RequestContext context(ApiKeys request) throws Exception {
        return new RequestContext(
                new RequestHeader(request, request.latestVersion(), "a-client", 1),
                "a-connection",
                InetAddress.getLoopbackAddress(),
                KafkaPrincipal.ANONYMOUS,
                new ListenerName("PLAINTEXT"),
                SecurityProtocol.PLAINTEXT,
                ClientInformation.EMPTY,
                false);
    }
}
