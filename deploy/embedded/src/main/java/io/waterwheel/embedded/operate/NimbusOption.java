package io.waterwheel.embedded.operate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.storm.Config;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which Nimbus a command talks to, and the configuration that may say it. */
final class NimbusOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--nimbus",
            paramLabel = "HOST:PORT",
            split = ",",
            description = {
                "Storm's Nimbus; several with commas between, or the option several times. Default: nimbus.seeds of"
                        + " --config's section storm, else of storm.yaml in STORM_CONF_DIR, in STORM_HOME/conf or in"
                        + " ~/.storm, else 127.0.0.1:6627."
            })
    private @Nullable List<String> named;

    @Option(names = "--config", paramLabel = "FILE", description = "A configuration file in YAML.")
    private @Nullable Path file;

    /** The configuration, or every key's default. */
    WaterwheelConfig config(List<String> overrides) {
        return file == null
                ? WaterwheelConfig.parse("command line", "", overrides)
                : WaterwheelConfig.load(file, overrides);
    }

    Nimbus nimbus() throws IOException {
        return nimbus(file == null ? Map.of() : config(List.of()).toStormConf(), System.getenv());
    }

    Nimbus nimbus(Map<String, Object> conf, Map<String, String> environment) throws IOException {
        try {
            if (named != null) {
                return new Nimbus(named.stream()
                        .map(text -> Nimbus.Endpoint.parse(text, Nimbus.Endpoint.DEFAULT_PORT))
                        .toList());
            }
            List<Nimbus.Endpoint> said = seeds(conf.get(Config.NIMBUS_SEEDS), conf.get(Config.NIMBUS_THRIFT_PORT));
            return new Nimbus(said.isEmpty() ? ofStorm(environment) : said);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private static List<Nimbus.Endpoint> seeds(@Nullable Object seeds, @Nullable Object port) {
        int all = port instanceof Number number ? number.intValue() : Nimbus.Endpoint.DEFAULT_PORT;
        List<Nimbus.Endpoint> endpoints = new ArrayList<>();
        if (seeds instanceof List<?> list) {
            list.forEach(host -> endpoints.add(Nimbus.Endpoint.parse(String.valueOf(host), all)));
        }
        return endpoints;
    }

    private static List<Nimbus.Endpoint> ofStorm(Map<String, String> environment) throws IOException {
        for (Path candidate : stormFiles(environment)) {
            if (!Files.exists(candidate)) {
                continue;
            }
            JsonNode yaml;
            try {
                yaml = new ObjectMapper(new YAMLFactory()).readTree(candidate.toFile());
            } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
                throw new WaterwheelException(
                        ErrorCode.BAD_CONFIGURATION, candidate + " is not YAML: " + e.getMessage(), e);
            }
            List<Object> hosts = new ArrayList<>();
            yaml.path(Config.NIMBUS_SEEDS).forEach(host -> hosts.add(host.asText()));
            JsonNode port = yaml.path(Config.NIMBUS_THRIFT_PORT);
            return hosts.isEmpty() && !port.isNumber()
                    ? local()
                    : seeds(
                            hosts.isEmpty() ? List.of("127.0.0.1") : hosts,
                            port.isNumber() ? port.numberValue() : null);
        }
        return local();
    }

    private static List<Nimbus.Endpoint> local() {
        return List.of(new Nimbus.Endpoint("127.0.0.1", Nimbus.Endpoint.DEFAULT_PORT));
    }

    /** Where Storm's own commands look, and in that order. */
    private static List<Path> stormFiles(Map<String, String> environment) {
        List<Path> files = new ArrayList<>();
        if (environment.containsKey("STORM_CONF_DIR")) {
            files.add(Path.of(environment.get("STORM_CONF_DIR"), "storm.yaml"));
        }
        if (environment.containsKey("STORM_HOME")) {
            files.add(Path.of(environment.get("STORM_HOME"), "conf", "storm.yaml"));
        }
        files.add(Path.of(System.getProperty("user.home", "."), ".storm", "storm.yaml"));
        return files;
    }
}
