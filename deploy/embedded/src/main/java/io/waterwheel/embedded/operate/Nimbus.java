package io.waterwheel.embedded.operate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.SubmitNotice;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.storm.Config;
import org.apache.storm.StormSubmitter;
import org.apache.storm.blobstore.BlobStoreAclHandler;
import org.apache.storm.dependency.DependencyBlobStoreUtils;
import org.apache.storm.generated.AccessControl;
import org.apache.storm.generated.AccessControlType;
import org.apache.storm.generated.AlreadyAliveException;
import org.apache.storm.generated.AuthorizationException;
import org.apache.storm.generated.InvalidTopologyException;
import org.apache.storm.generated.KillOptions;
import org.apache.storm.generated.Nimbus.Iface;
import org.apache.storm.generated.NotAliveException;
import org.apache.storm.generated.SettableBlobMeta;
import org.apache.storm.generated.StormTopology;
import org.apache.storm.generated.SubmitOptions;
import org.apache.storm.generated.TopologyInitialStatus;
import org.apache.storm.generated.TopologySummary;
import org.apache.storm.utils.NimbusClient;
import org.apache.storm.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Storm's Nimbus, asked over Thrift, a connection a question: whichever of several leads at that moment. Every failure
 * is a {@link WaterwheelException}.
 */
final class Nimbus {
    private static final int SOCKET_MILLIS = 30_000;
    /** Of an upload's part, as for the topology's jar: Nimbus never reads a message of a MiB and more. */
    private static final int UPLOAD_BYTES = 300 << 10;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Where a Nimbus may be. */
    record Endpoint(String host, int port) {
        static final int DEFAULT_PORT = 6627;

        /** @throws IllegalArgumentException when the text is no HOST or HOST:PORT */
        static Endpoint parse(String text, int defaultPort) {
            int colon = text.lastIndexOf(':');
            String host = colon < 0 ? text : text.substring(0, colon);
            String port = colon < 0 ? Integer.toString(defaultPort) : text.substring(colon + 1);
            if (host.isBlank()
                    || host.contains(" ")
                    || !port.matches("[1-9]\\d{0,4}")
                    || Integer.parseInt(port) > 65_535) {
                throw new IllegalArgumentException("Nimbus '" + text + "': expected HOST:PORT");
            }
            return new Endpoint(host, Integer.parseInt(port));
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    private final List<Endpoint> endpoints;

    Nimbus(List<Endpoint> endpoints) {
        this.endpoints = List.copyOf(endpoints);
    }

    private interface Question<T> {
        T ask(NimbusClient client) throws Exception;
    }

    private <T> T ask(String topology, Question<T> question) {
        RuntimeException last = new IllegalStateException("none is named");
        for (Endpoint endpoint : endpoints) {
            NimbusClient client;
            try {
                client = NimbusClient.Builder.withConf(conf(endpoint))
                        .withTimeout(SOCKET_MILLIS)
                        .build();
            } catch (RuntimeException e) {
                // It does not answer, or knows of no leader.
                last = e;
                continue;
            }
            try (client) {
                return question.ask(client);
            } catch (Exception e) {
                throw failure(topology, e);
            }
        }
        throw new WaterwheelException(
                ErrorCode.NIMBUS_UNREACHABLE,
                "no Nimbus leads at "
                        + String.join(
                                ", ", endpoints.stream().map(Endpoint::toString).toList()) + " (" + cause(last)
                        + "). Is Storm running? --nimbus HOST:PORT names another",
                last);
    }

    private static Map<String, Object> conf(Endpoint endpoint) {
        Map<String, Object> conf = new HashMap<>(Utils.readDefaultConfig());
        conf.put(Config.NIMBUS_SEEDS, List.of(endpoint.host()));
        conf.put(Config.NIMBUS_THRIFT_PORT, endpoint.port());
        // Another one is tried instead, or the user told.
        conf.put(Config.STORM_NIMBUS_RETRY_TIMES, 1);
        conf.put(Config.STORM_NIMBUS_RETRY_INTERVAL, 100);
        conf.put(Config.STORM_NIMBUS_RETRY_INTERVAL_CEILING, 200);
        return conf;
    }

    private static String cause(Throwable failure) {
        Throwable at = failure;
        for (Throwable next = at.getCause(); next != null; next = at.getCause()) {
            at = next;
        }
        return String.valueOf(at.getMessage());
    }

    private static WaterwheelException failure(String topology, Exception e) {
        if (e instanceof WaterwheelException known) {
            return known;
        } else if (e instanceof NotAliveException) {
            return noSuch(topology, e);
        } else if (e instanceof AlreadyAliveException) {
            return new WaterwheelException(ErrorCode.TOPOLOGY_EXISTS, SubmitNotice.taken(topology, ""), e);
        } else if (e instanceof InvalidTopologyException invalid) {
            return new WaterwheelException(
                    ErrorCode.BAD_TOPOLOGY, "Nimbus does not take topology " + topology + ": " + invalid.get_msg(), e);
        } else if (e instanceof AuthorizationException refused) {
            return new WaterwheelException(
                    ErrorCode.NOT_ALLOWED, "Nimbus does not allow that: " + refused.get_msg(), e);
        }
        return new WaterwheelException(ErrorCode.NIMBUS_FAILED, "Nimbus did not answer: " + e, e);
    }

    private static WaterwheelException noSuch(String topology, Exception e) {
        return new WaterwheelException(
                ErrorCode.NO_SUCH_TOPOLOGY,
                "there is no topology " + topology + "; 'waterwheel topology list' shows those there are",
                e);
    }

    /** All topologies, by name. */
    List<TopologySummary> topologies() {
        List<TopologySummary> all =
                new ArrayList<>(ask("", client -> client.getClient().getTopologySummaries()));
        all.sort(Comparator.comparing(TopologySummary::get_name));
        return all;
    }

    Optional<TopologySummary> find(String name) {
        return topologies().stream()
                .filter(summary -> summary.get_name().equals(name))
                .findFirst();
    }

    /** @throws WaterwheelException NO_SUCH_TOPOLOGY when there is none */
    TopologySummary require(String name) {
        return find(name).orElseThrow(() -> noSuch(name, new NotAliveException(name)));
    }

    /** What a topology was submitted with. */
    Map<String, Object> conf(TopologySummary topology) {
        String json = ask(topology.get_name(), client -> client.getClient().getTopologyConf(topology.get_id()));
        try {
            return JSON.readValue(json, new TypeReference<Map<String, Object>>() {});
        } catch (JsonProcessingException e) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REPLY, "the configuration of topology " + topology.get_name() + " is no JSON", e);
        }
    }

    /**
     * Uploads a jar and starts a topology from it, as {@code storm jar} does.
     *
     * @param conf of the topology
     * @param library a further jar for its workers; null: none
     */
    void submit(
            String name,
            Map<String, Object> conf,
            StormTopology topology,
            Path jar,
            @Nullable Path library,
            StormSubmitter.ProgressListener progress) {
        Boolean unused = ask(name, client -> {
            Map<String, Object> all = new HashMap<>(Utils.readDefaultConfig());
            all.putAll(conf);
            Map<String, Object> own = new HashMap<>(conf);
            own.putAll(StormSubmitter.prepareZookeeperAuthentication(all));
            String uploaded = StormSubmitter.submitJarAs(all, jar.toString(), progress, client);
            String blob = library == null ? null : upload(client.getClient(), library, progress);
            try {
                if (blob != null) {
                    topology.add_to_dependency_jars(blob);
                }
                client.getClient()
                        .submitTopologyWithOpts(
                                name,
                                uploaded,
                                JSON.writeValueAsString(own),
                                topology,
                                new SubmitOptions(TopologyInitialStatus.ACTIVE));
            } catch (Exception e) {
                if (blob != null) {
                    delete(client.getClient(), blob, e);
                }
                throw e;
            }
            return true;
        });
    }

    /** Hands over a jar that workers of a topology are to have, as {@code storm jar --jars} does; returns its name. */
    static String upload(Iface nimbus, Path jar, StormSubmitter.ProgressListener progress) throws Exception {
        String file = String.valueOf(jar.getFileName());
        String blob =
                DependencyBlobStoreUtils.generateDependencyBlobKey(DependencyBlobStoreUtils.applyUUIDToFileName(file));
        int all = BlobStoreAclHandler.READ | BlobStoreAclHandler.WRITE | BlobStoreAclHandler.ADMIN;
        String session = nimbus.beginCreateBlob(
                blob,
                new SettableBlobMeta(List.of(
                        new AccessControl(AccessControlType.USER, all),
                        new AccessControl(AccessControlType.OTHER, BlobStoreAclHandler.READ))));
        try (InputStream bytes = Files.newInputStream(jar)) {
            long size = Files.size(jar);
            long sent = 0;
            progress.onStart(jar.toString(), blob, size);
            for (byte[] part = bytes.readNBytes(UPLOAD_BYTES); part.length > 0; ) {
                nimbus.uploadBlobChunk(session, ByteBuffer.wrap(part));
                sent += part.length;
                progress.onProgress(jar.toString(), blob, sent, size);
                part = bytes.readNBytes(UPLOAD_BYTES);
            }
        } catch (Exception e) {
            cancel(nimbus, session, e);
            throw e;
        }
        nimbus.finishBlobUpload(session);
        progress.onCompleted(jar.toString(), blob, Files.size(jar));
        return blob;
    }

    /** Ends an upload that failed, most often since Nimbus is gone, which must not hide why. */
    private static void cancel(Iface nimbus, String session, Exception why) {
        try {
            nimbus.cancelBlobUpload(session);
        } catch (Exception e) {
            why.addSuppressed(e);
        }
    }

    /** Removes what a topology that Nimbus did not take would have had. */
    private static void delete(Iface nimbus, String blob, Exception why) {
        try {
            nimbus.deleteBlob(blob);
        } catch (Exception e) {
            why.addSuppressed(e);
        }
    }

    /** Lets its spouts go on. */
    void activate(String name) {
        Boolean unused = ask(name, client -> {
            client.getClient().activate(name);
            return true;
        });
    }

    /** Lets its spouts stand still. */
    void deactivate(String name) {
        Boolean unused = ask(name, client -> {
            client.getClient().deactivate(name);
            return true;
        });
    }

    /** Ends it now: what is not written is read again by the next one. */
    void kill(String name) {
        KillOptions now = new KillOptions();
        now.set_wait_secs(0);
        Boolean unused = ask(name, client -> {
            client.getClient().killTopologyWithOpts(name, now);
            return true;
        });
    }
}
