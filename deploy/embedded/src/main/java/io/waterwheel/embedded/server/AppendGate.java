package io.waterwheel.embedded.server;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.kafka.common.Endpoint;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.server.authorizer.AclCreateResult;
import org.apache.kafka.server.authorizer.AclDeleteResult;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.apache.kafka.server.authorizer.Authorizer;
import org.apache.kafka.server.authorizer.AuthorizerServerInfo;

/**
 * Lets everybody do everything at the embedded broker, but append while there is no room, and read while the logs may
 * have records that were not confirmed: Kafka has no other seam at which a request can be refused before it is served.
 * Clients are told by an error that is tried again ({@code KAFKA_STORAGE_ERROR}), with the reason; they go on by
 * themselves, producers within their {@code delivery.timeout.ms}. Made by the broker, thread-safe.
 */
public final class AppendGate implements Authorizer {
    /** The setting of the broker that names the gate's reason to refuse. */
    private static final String NAME = "waterwheel.append-gate";

    /** By name: the broker makes its authorizer by itself, from texts. One for each folder that had a broker. */
    private static final Map<String, Reasons> REASONS = new ConcurrentHashMap<>();

    /**
     * Why requests are refused now, for people; empty when they are not.
     *
     * @param appends why nothing may be appended
     * @param reads why nothing may be read
     */
    record Reasons(Supplier<String> appends, Supplier<String> reads) {}

    /** What it refuses with: the log tells it from a disk that Kafka itself has trouble with. */
    static final class Refusal extends KafkaStorageException {
        private static final long serialVersionUID = 1;

        Refusal(String why) {
            super(why);
        }
    }

    private Reasons reasons = new Reasons(() -> "", () -> "");

    /**
     * Settings of a broker that has a gate.
     *
     * @param name of the broker, its own in this process
     */
    static Map<String, String> settings(String name, Reasons reasons) {
        REASONS.put(name, reasons);
        return Map.of("authorizer.class.name", AppendGate.class.getName(), NAME, name);
    }

    @Override
    public void configure(Map<String, ?> settings) {
        reasons = REASONS.getOrDefault(String.valueOf(settings.get(NAME)), reasons);
    }

    @Override
    public Map<Endpoint, ? extends CompletionStage<Void>> start(AuthorizerServerInfo info) {
        Map<Endpoint, CompletionStage<Void>> started = new HashMap<>();
        info.endpoints().forEach(endpoint -> started.put(endpoint, CompletableFuture.completedFuture(null)));
        return started;
    }

    @Override
    public List<AuthorizationResult> authorize(AuthorizableRequestContext request, List<Action> actions) {
        if (request.requestType() == ApiKeys.PRODUCE.id) {
            refuse(reasons.appends().get());
        } else if (request.requestType() == ApiKeys.FETCH.id
                && actions.stream().anyMatch(action -> action.operation() == AclOperation.READ)) {
            // Not the controller's own reading of its log, which is an action on the cluster.
            refuse(reasons.reads().get());
        }
        return Collections.nCopies(actions.size(), AuthorizationResult.ALLOWED);
    }

    private static void refuse(String why) {
        if (!why.isEmpty()) {
            throw new Refusal(why);
        }
    }

    @Override
    public List<? extends CompletionStage<AclCreateResult>> createAcls(
            AuthorizableRequestContext request, List<AclBinding> bindings) {
        throw noLists();
    }

    @Override
    public List<? extends CompletionStage<AclDeleteResult>> deleteAcls(
            AuthorizableRequestContext request, List<AclBindingFilter> filters) {
        throw noLists();
    }

    @Override
    public Iterable<AclBinding> acls(AclBindingFilter filter) {
        throw noLists();
    }

    /** As a broker without an authorizer says. */
    private static SecurityDisabledException noLists() {
        return new SecurityDisabledException("the embedded broker has no lists of who may do what");
    }

    @Override
    public void close() {}
}
