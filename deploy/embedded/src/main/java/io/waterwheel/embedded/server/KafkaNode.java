package io.waterwheel.embedded.server;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import kafka.server.BrokerServer;
import kafka.server.ControllerServer;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.server.Server;
import kafka.server.SharedServer;
import kafka.server.StandardFaultHandlerFactory;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.controller.Controller;
import org.apache.kafka.controller.ControllerRequestContext;
import org.apache.kafka.metadata.bootstrap.BootstrapMetadata;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.raft.QuorumConfig;
import org.apache.kafka.server.ProcessRole;
import org.apache.kafka.server.ServerSocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * A broker, and its controller where the configuration says so, put together as Kafka's own {@link KafkaRaftServer}
 * does, with one step between the starts of the two.
 *
 * <p>A controller that starts takes a broker that was killed for alive, for one session, and refuses a new one with its
 * id. Here both were killed at once, as they live in one process. So the clock is put forward by one session before the
 * broker registers, and a start after a kill takes no longer than another. A broker of another process, if there is
 * one, is fenced until its next heartbeat.
 */
final class KafkaNode {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaNode.class);
    private static final long ACTIVE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final KafkaConfig config;
    private final boolean isNew;
    private final SkippingTime time = new SkippingTime();
    private final Optional<ControllerServer> controller;
    private final BrokerServer broker;
    private volatile @Nullable KafkaTimers timers;

    /** @param isNew whether no broker has run on its folder: then there is no session to end */
    KafkaNode(KafkaConfig config, boolean isNew) {
        this.config = config;
        this.isNew = isNew;
        KafkaMeters.tickTogether();
        Tuple2<MetaPropertiesEnsemble, BootstrapMetadata> folders =
                KafkaRaftServer.initializeLogDirs(config, LOG, "[KafkaNode id=" + config.nodeId() + "] ");
        Metrics metrics =
                Server.initializeMetrics(config, time, folders._1().clusterId().orElseThrow());
        QuorumConfig quorum = config.quorumConfig();
        SharedServer shared = new SharedServer(
                config,
                folders._1(),
                time,
                metrics,
                CompletableFuture.completedFuture(QuorumConfig.parseVoterConnections(quorum.voters())),
                QuorumConfig.parseBootstrapServers(quorum.bootstrapServers()),
                new StandardFaultHandlerFactory(),
                ServerSocketFactory.INSTANCE);
        broker = new BrokerServer(shared);
        controller = config.processRoles().contains(ProcessRole.ControllerRole)
                ? Optional.of(new ControllerServer(shared, KafkaRaftServer.configSchema(), folders._2()))
                : Optional.empty();
    }

    /** Returns when clients can connect. */
    void startup() {
        controller.ifPresent(starting -> {
            starting.startup();
            if (!isNew && isActive(starting.controller())) {
                time.skip(TimeUnit.MILLISECONDS.toNanos(config.brokerSessionTimeoutMs() + 1L));
            }
        });
        broker.startup();
        timers = KafkaTimers.take(Thread.currentThread().getThreadGroup());
    }

    /**
     * Waits until it has taken over what the last one wrote, sessions among it. Says false when that takes long: the
     * broker then waits for the end of its last session.
     */
    private static boolean isActive(Controller controller) {
        long begun = System.nanoTime();
        while (!controller.isActive()) {
            if (System.nanoTime() - begun > ACTIVE_NANOS
                    || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        try {
            // It answers behind what it does as it becomes active.
            controller
                    .findAllTopicIds(new ControllerRequestContext(
                            new RequestHeaderData(), KafkaPrincipal.ANONYMOUS, OptionalLong.empty()))
                    .get(ACTIVE_NANOS, TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the controller is active and does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    void shutdown() {
        try {
            broker.shutdown();
            controller.ifPresent(ControllerServer::shutdown);
        } finally {
            KafkaTimers taken = timers;
            if (taken != null) {
                taken.close();
            }
        }
    }

    void awaitShutdown() {
        broker.awaitShutdown();
        controller.ifPresent(ControllerServer::awaitShutdown);
    }
}
