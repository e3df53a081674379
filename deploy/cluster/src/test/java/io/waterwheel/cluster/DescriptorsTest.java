package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** What is for containers: against the schemas that it claims to follow, and every reference against what it names. */
class DescriptorsTest {
    private static final Path COMPOSE = Path.of("../compose");
    private static final Path KUBERNETES = Path.of("../kubernetes");

    private static Object yaml(String text) {
        return new Yaml().load(text);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    private static Set<String> schemaErrors(Object document) throws IOException {
        try (InputStream file = DescriptorsTest.class.getResourceAsStream("/compose-spec/compose-spec.json")) {
            ObjectMapper json = new ObjectMapper();
            JsonSchema schema = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V201909)
                    .getSchema(withoutNames(json.readTree(Objects.requireNonNull(file))));
            Set<String> errors = new HashSet<>();
            schema.validate(json.<JsonNode>valueToTree(document)).forEach(each -> errors.add(each.getMessage()));
            return errors;
        }
    }

    /** The schema names its parts in the manner of an older draft than the one that it says it follows. */
    private static JsonNode withoutNames(JsonNode schema) {
        if (schema instanceof ObjectNode object && object.path("id").isTextual()) {
            object.remove("id");
        }
        schema.forEach(DescriptorsTest::withoutNames);
        return schema;
    }

    @Test
    void composeFileFollowsTheSpecification() throws IOException {
        String text = Files.readString(COMPOSE.resolve("compose.yaml"));
        assertThat(schemaErrors(yaml(text))).isEmpty();
        // The check can fail.
        assertThat(schemaErrors(yaml(text.replace("restart: unless-stopped", "restrat: always"))))
                .anyMatch(error -> error.contains("restrat"));
    }

    @Test
    void composeFileRefersToWhatIsThere() throws IOException {
        Map<String, Object> document = map(yaml(Files.readString(COMPOSE.resolve("compose.yaml"))));
        Map<String, Object> services = map(document.get("services"));
        Set<String> volumes = map(document.get("volumes")).keySet();
        services.forEach((name, value) -> {
            Map<String, Object> service = map(value);
            assertThat(services.keySet())
                    .as("what %s depends on", name)
                    .containsAll(map(service.get("depends_on")).keySet());
            if (service.get("network_mode") instanceof String mode) {
                assertThat(services.keySet())
                        .as("the network of %s", name)
                        .contains(mode.substring("service:".length()));
            }
            for (Object volume : (List<?>) service.getOrDefault("volumes", List.of())) {
                String source = volume.toString().split(":", 2)[0];
                if (source.startsWith(".") && !source.contains("/target")) {
                    assertThat(COMPOSE.resolve(source))
                            .as("a volume of %s", name)
                            .exists();
                } else if (!source.startsWith("$") && !source.startsWith(".")) {
                    assertThat(volumes).as("volumes of %s", name).contains(source);
                }
            }
            for (Object port : (List<?>) service.getOrDefault("ports", List.of())) {
                assertThat(port.toString()).as("a port of %s", name).startsWith("127.0.0.1:");
            }
        });
    }

    @Test
    void configurationsForContainersHaveOnlyKeysThatThereAre() throws IOException {
        Set<String> known = map(yaml(Files.readString(Path.of("../../conf/waterwheel.yaml"))))
                .keySet();
        assertThat(known)
                .containsAll(map(yaml(Files.readString(COMPOSE.resolve("conf/waterwheel.yaml"))))
                        .keySet())
                .containsAll(
                        map(yaml(configMap().getData().get("waterwheel.yaml"))).keySet());
    }

    private static V1ConfigMap configMap() throws IOException {
        return manifests().stream()
                .filter(V1ConfigMap.class::isInstance)
                .map(V1ConfigMap.class::cast)
                .findFirst()
                .orElseThrow();
    }

    private static List<Object> manifests() throws IOException {
        List<Object> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(KUBERNETES)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".yaml"))
                    .sorted()
                    .toList()) {
                for (Object document : new Yaml().loadAll(Files.readString(file))) {
                    found.add(manifest(file, document));
                }
            }
        }
        return found;
    }

    /** The document as the API's model of its kind; a field that the model lacks, or that lacks, fails. */
    private static Object manifest(Path file, Object document) throws IOException {
        JsonElement json = new Gson().toJsonTree(document);
        String kind = map(document).get("apiVersion") + "/" + map(document).get("kind");
        Class<?> model;
        switch (kind) {
            case "v1/Namespace" -> {
                model = V1Namespace.class;
                V1Namespace.validateJsonElement(json);
            }
            case "v1/ConfigMap" -> {
                model = V1ConfigMap.class;
                V1ConfigMap.validateJsonElement(json);
            }
            case "v1/Service" -> {
                model = V1Service.class;
                V1Service.validateJsonElement(json);
            }
            case "apps/v1/Deployment" -> {
                model = V1Deployment.class;
                V1Deployment.validateJsonElement(json);
            }
            case "apps/v1/StatefulSet" -> {
                model = V1StatefulSet.class;
                V1StatefulSet.validateJsonElement(json);
            }
            case "policy/v1/PodDisruptionBudget" -> {
                model = V1PodDisruptionBudget.class;
                V1PodDisruptionBudget.validateJsonElement(json);
            }
            case "batch/v1/Job" -> {
                model = V1Job.class;
                V1Job.validateJsonElement(json);
            }
            default -> throw new AssertionError(file + ": unexpected " + kind);
        }
        // Quantities and ports that may be names are parsed here.
        return JSON.deserialize(json.toString(), model);
    }

    /** The jar that joins take goes to Storm with the topology, and is where the command looks for it. */
    @Test
    void joinsHaveTheirJar() throws IOException {
        String jars = "storm jar --jars /topology/duckdb_jdbc.jar /topology/waterwheel-topology.jar";
        Map<String, Object> submit = map(
                map(map(yaml(Files.readString(COMPOSE.resolve("compose.yaml")))).get("services"))
                        .get("submit"));
        assertThat(submit.get("command").toString()).contains(jars);
        assertThat(submit.get("volumes").toString())
                .contains("../cluster/target/dist/duckdb_jdbc.jar}:/topology/duckdb_jdbc.jar:ro");
        assertThat(Files.readString(KUBERNETES.resolve("Dockerfile")))
                .contains("COPY duckdb_jdbc.jar /topology/duckdb_jdbc.jar");
        assertThat(Files.readString(KUBERNETES.resolve("submit.yaml")).replaceAll("\\s+", " "))
                .contains(jars);
    }

    @Test
    void manifestsFollowTheApi() throws IOException {
        assertThat(manifests()).hasSize(19);
        // The check can fail, deep inside too.
        String text = Files.readString(KUBERNETES.resolve("nimbus.yaml")).replace("tcpSocket", "tcpSockte");
        List<Object> documents = new ArrayList<>();
        new Yaml().loadAll(text).forEach(documents::add);
        assertThatThrownBy(() -> manifest(Path.of("nimbus.yaml"), documents.get(1)))
                .hasMessageContaining("tcpSockte");
    }

    @Test
    void manifestsReferToWhatIsThere() throws IOException {
        List<Object> manifests = manifests();
        Set<String> configurations = configMap().getData().keySet();
        Map<String, V1PodSpec> pods = new HashMap<>();
        Map<String, Integer> replicas = new HashMap<>();
        for (Object each : manifests) {
            if (each instanceof V1StatefulSet set) {
                pods.put(
                        set.getMetadata().getName(), set.getSpec().getTemplate().getSpec());
                replicas.put(set.getMetadata().getName(), set.getSpec().getReplicas());
                Map<String, String> labels =
                        set.getSpec().getTemplate().getMetadata().getLabels();
                assertThat(labels).isEqualTo(set.getSpec().getSelector().getMatchLabels());
                assertThat(set.getSpec().getServiceName())
                        .isEqualTo(set.getMetadata().getName());
                checkPod(
                        set.getMetadata().getName(), set.getSpec().getTemplate().getSpec(), configurations, true);
            } else if (each instanceof V1Deployment deployment) {
                String name = deployment.getMetadata().getName();
                V1PodSpec pod = deployment.getSpec().getTemplate().getSpec();
                pods.put(name, pod);
                replicas.put(name, deployment.getSpec().getReplicas());
                assertThat(deployment.getSpec().getTemplate().getMetadata().getLabels())
                        .isEqualTo(deployment.getSpec().getSelector().getMatchLabels());
                checkPod(name, pod, configurations, true);
            } else if (each instanceof V1Job job) {
                checkPod(
                        job.getMetadata().getName(), job.getSpec().getTemplate().getSpec(), configurations, false);
            }
        }
        for (Object each : manifests) {
            if (each instanceof V1Service service) {
                String app = service.getSpec().getSelector().get("app");
                assertThat(pods).containsKey(app);
                checkPorts(service, pods.get(app));
            } else if (each instanceof V1PodDisruptionBudget budget) {
                String app = budget.getSpec().getSelector().getMatchLabels().get("app");
                assertThat(replicas.get(app)).isGreaterThan(1);
            }
        }
    }

    /** Each port of a service is one of its pod's, by name where it is named. */
    private static void checkPorts(V1Service service, V1PodSpec pod) {
        Map<String, Integer> ports = new HashMap<>();
        pod.getContainers().forEach(container -> {
            if (container.getPorts() != null) {
                container.getPorts().forEach(port -> ports.put(port.getName(), port.getContainerPort()));
            }
        });
        service.getSpec().getPorts().forEach(port -> {
            if (port.getTargetPort() == null) {
                assertThat(ports)
                        .as("ports of service %s", service.getMetadata().getName())
                        .containsValue(port.getPort());
            } else {
                assertThat(ports.get(port.getTargetPort().getStrValue()))
                        .as(
                                "port %s of service %s",
                                port.getName(), service.getMetadata().getName())
                        .isEqualTo(port.getPort());
            }
        });
        pod.getContainers().forEach(container -> {
            if (container.getReadinessProbe() != null
                    && container.getReadinessProbe().getHttpGet() != null) {
                assertThat(ports)
                        .containsKey(container
                                .getReadinessProbe()
                                .getHttpGet()
                                .getPort()
                                .getStrValue());
            }
        });
    }

    private static void checkPod(String name, V1PodSpec pod, Set<String> configurations, boolean serves) {
        Set<String> volumes = new HashSet<>(serves ? Set.of("data") : Set.of());
        if (pod.getVolumes() != null) {
            pod.getVolumes().forEach(volume -> {
                volumes.add(volume.getName());
                assertThat(volume.getConfigMap().getName()).isEqualTo("waterwheel");
            });
        }
        pod.getContainers().forEach(container -> {
            assertThat(container.getResources().getLimits()).as(name).containsKey("memory");
            assertThat(container.getReadinessProbe() != null && container.getLivenessProbe() != null)
                    .as("probes of %s", name)
                    .isEqualTo(serves);
            container.getVolumeMounts().forEach(mount -> {
                assertThat(volumes).as("volumes of %s", name).contains(mount.getName());
                if (mount.getName().equals("config")) {
                    assertThat(configurations).as("files of %s", name).contains(mount.getSubPath());
                }
            });
        });
    }
}
