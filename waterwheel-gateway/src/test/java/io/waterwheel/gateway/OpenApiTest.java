package io.waterwheel.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.waterwheel.client.WaterwheelClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The OpenAPI document has what the handlers take, and nothing else: they are asked. */
final class OpenApiTest {
    private static final Set<String> METHODS = Set.of("get", "post", "head", "put", "delete");
    /** How a handler lists its parameters to a client that sent one that is unknown. */
    private static final Pattern LISTED = Pattern.compile("there are \\[([^\\]]*)\\]|there are (none)");

    private static Gateway gateway;
    private static JsonNode document;

    @BeforeAll
    static void start() throws IOException {
        gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0));
        // There is no server: a handler says what is wrong with a request before it looks for one.
        gateway.serve(WaterwheelClient.connect("grpc://127.0.0.1:1"));
        RawHttp.Answer answer = RawHttp.get(gateway, "/v1/openapi.yaml");
        assertThat(answer.headers()).containsEntry("content-type", "application/yaml");
        document = new YAMLMapper().readTree(answer.body());
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void hasEveryRoute() {
        Set<String> described = new TreeSet<>();
        document.get("paths")
                .properties()
                .forEach(path -> path.getValue().fieldNames().forEachRemaining(method -> {
                    if (METHODS.contains(method)) {
                        described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey());
                    }
                }));
        Set<String> there = new TreeSet<>();
        for (Route route : gateway.routes()) {
            route.methods().forEach(method -> there.add(method + " " + route.path()));
        }
        assertThat(described).isEqualTo(there);
    }

    @Test
    void hasEveryParameter() throws IOException {
        int asked = 0;
        for (var path : document.get("paths").properties()) {
            for (var operation : path.getValue().properties()) {
                String method = operation.getKey();
                if (!method.equals("get") && !method.equals("post")) {
                    continue;
                }
                String target = path.getKey().replace(Route.STREAM, "s") + "?no-such-parameter=1";
                RawHttp.Answer answer = method.equals("get")
                        ? RawHttp.get(gateway, target + (path.getKey().equals("/v1/query") ? "&stream=s" : ""))
                        : RawHttp.post(gateway, target, "text/plain", "");
                Matcher listed = LISTED.matcher(answer.body());
                if (answer.status() == 400 && listed.find()) {
                    asked++;
                    assertThat(parameters(operation.getValue()))
                            .as("%s %s: %s", method, path.getKey(), answer.body())
                            .containsExactlyInAnyOrderElementsOf(
                                    listed.group(1) == null
                                            ? List.of()
                                            : Arrays.asList(listed.group(1).split(", ")));
                }
            }
        }
        // status, streams, one stream, its letters, its rows, discovery, both of InfluxDB, queries
        assertThat(asked).isGreaterThanOrEqualTo(9);
    }

    /** Of the URI, but for those of a query that stand beside its options. */
    private static Collection<String> parameters(JsonNode operation) {
        List<String> names = new ArrayList<>();
        for (JsonNode parameter : operation.path("parameters")) {
            JsonNode resolved = resolve(parameter);
            if (resolved.get("in").asText().equals("query")) {
                names.add(resolved.get("name").asText());
            }
        }
        if (operation.get("operationId").asText().equals("query")) {
            names.removeAll(List.of("stream", "sql", "format"));
        }
        return names;
    }

    private static JsonNode resolve(JsonNode node) {
        return node.has("$ref") ? document.at(node.get("$ref").asText().substring(1)) : node;
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        assertThat(document.findValuesAsText("$ref")).isNotEmpty().allSatisfy(reference -> assertThat(
                        document.at(reference.substring(1)).isMissingNode())
                .as(reference)
                .isFalse());
        List<String> ids = document.findValuesAsText("operationId");
        assertThat(ids).doesNotHaveDuplicates();
    }
}
