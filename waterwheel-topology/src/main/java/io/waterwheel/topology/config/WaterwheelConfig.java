package io.waterwheel.topology.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.waterwheel.error.NearestName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The values of all keys, those not given at their defaults. Immutable. In YAML the dots of a key may be written as
 * dots or as nesting; the {@code storm} section is handed to Storm as it is.
 */
public final class WaterwheelConfig {
    private static final int LOOKS_BEFORE_DELETION = 10;

    /** Key of Storm's configuration under which {@link #toMap} rides to the workers. */
    public static final String STORM_KEY = "waterwheel";

    private static final String STORM_SECTION = "storm";
    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .configure(StreamReadFeature.STRICT_DUPLICATE_DETECTION, true)
            .build());
    private static final Map<String, Key<?>> BY_NAME = byName();

    private final Map<String, Object> values;
    private final Map<String, Object> storm;

    private WaterwheelConfig(Map<String, Object> values, Map<String, Object> storm) {
        this.values = values;
        this.storm = storm;
    }

    /** Every key at its default. */
    public static WaterwheelConfig defaults() {
        return of("defaults", Map.of(), Map.of());
    }

    /**
     * Reads a file and puts overrides on top.
     *
     * @param overrides {@code key=value} each; later ones win
     * @throws ConfigException naming every unknown key and every bad value of both
     * @throws UncheckedIOException when the file cannot be read
     */
    public static WaterwheelConfig load(Path file, List<String> overrides) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "configuration file " + file + " cannot be read: "
                            + (e instanceof NoSuchFileException ? "there is no such file" : e.toString()),
                    e);
        }
        return parse(file.toString(), text, overrides);
    }

    /**
     * Reads YAML text and puts overrides on top.
     *
     * @param source named in messages
     * @param overrides {@code key=value} each; later ones win
     * @throws ConfigException naming every unknown key and every bad value of both
     */
    public static WaterwheelConfig parse(String source, String yaml, List<String> overrides) {
        Map<String, String> texts = new LinkedHashMap<>();
        Map<String, Object> storm = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        readYaml(source, yaml, texts, storm, problems);
        for (String override : overrides) {
            int equals = override.indexOf('=');
            if (equals < 1) {
                problems.add(override + ": expected key=value");
            } else {
                texts.put(
                        override.substring(0, equals).strip(),
                        override.substring(equals + 1).strip());
            }
        }
        if (problems.isEmpty()) {
            return of(source, texts, storm);
        }
        try {
            of(source, texts, storm);
        } catch (ConfigException e) {
            problems.addAll(e.problems());
        }
        throw new ConfigException(source, problems);
    }

    private static void readYaml(
            String source, String yaml, Map<String, String> texts, Map<String, Object> storm, List<String> problems) {
        JsonNode root;
        try {
            root = YAML.readTree(yaml);
        } catch (JsonProcessingException e) {
            throw new ConfigException(source, List.of("not YAML: " + e.getMessage()));
        }
        if (root.isMissingNode() || root.isNull()) {
            return;
        }
        if (!root.isObject()) {
            throw new ConfigException(source, List.of("expected keys and values, got " + root.getNodeType()));
        }
        root.properties().forEach(entry -> {
            if (!entry.getKey().equals(STORM_SECTION)) {
                flatten(entry.getKey(), entry.getValue(), texts, problems);
            } else if (entry.getValue().isObject()) {
                entry.getValue().properties().forEach(option -> storm.put(option.getKey(), plain(option.getValue())));
            } else if (!entry.getValue().isNull()) {
                problems.add("storm: expected a section of Storm's keys");
            }
        });
    }

    private static void flatten(String name, JsonNode node, Map<String, String> texts, List<String> problems) {
        if (node.isObject()) {
            node.properties().forEach(entry -> flatten(name + "." + entry.getKey(), entry.getValue(), texts, problems));
            return;
        }
        String text;
        if (node.isArray()) {
            List<String> parts = new ArrayList<>();
            node.forEach(element -> parts.add(element.asText()));
            text = String.join(", ", parts);
        } else if (node.isNull() || (node.isTextual() && node.asText().isEmpty())) {
            problems.add(name + ": no value; leave the key out to have its default");
            return;
        } else {
            text = node.asText();
        }
        if (texts.put(name, text) != null) {
            problems.add(name + ": given twice, as a nested and as a dotted key");
        }
    }

    private static Object plain(JsonNode node) {
        Object value = YAML.convertValue(node, Object.class);
        return value == null ? "" : value;
    }

    /** The inverse of {@link #toMap}; the Storm section is empty. */
    public static WaterwheelConfig fromMap(Map<String, String> texts) {
        return of("a map", texts, Map.of());
    }

    /**
     * What {@link #toStormConf} put in.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static WaterwheelConfig fromStormConf(Map<String, Object> stormConf) {
        if (!(stormConf.get(STORM_KEY) instanceof Map<?, ?> map)) {
            throw new IllegalArgumentException("Storm's configuration has no section '" + STORM_KEY
                    + "': the topology was not submitted by waterwheel");
        }
        Map<String, String> texts = new LinkedHashMap<>();
        map.forEach((name, text) -> texts.put(String.valueOf(name), String.valueOf(text)));
        return fromMap(texts);
    }

    private static WaterwheelConfig of(String source, Map<String, String> texts, Map<String, Object> storm) {
        List<String> problems = new ArrayList<>();
        Map<String, Object> values = new LinkedHashMap<>();
        BY_NAME.forEach((name, key) -> values.put(name, key.defaultValue()));
        texts.forEach((name, text) -> {
            Key<?> key = BY_NAME.get(name);
            if (key == null) {
                String renamed = Keys.RENAMED.get(name);
                String gone = Keys.GONE.get(name);
                problems.add(
                        renamed != null
                                ? name + ": this key is now called " + renamed
                                : gone != null
                                        ? name + ": " + gone
                                        : name + ": there is no such key; did you mean "
                                                + NearestName.of(name, BY_NAME.keySet()) + "?");
                return;
            }
            try {
                values.put(name, key.parse(text));
            } catch (IllegalArgumentException e) {
                problems.add(name + ": " + e.getMessage());
            }
        });
        problems.addAll(StormSection.problems(storm));
        if (!problems.isEmpty()) {
            throw new ConfigException(source, problems);
        }
        WaterwheelConfig config = new WaterwheelConfig(
                Collections.unmodifiableMap(values), Collections.unmodifiableMap(new LinkedHashMap<>(storm)));
        if (config.get(Keys.QUERY_TIMEOUT).compareTo(config.get(Keys.MAINTENANCE_GRACE)) >= 0) {
            throw new ConfigException(
                    source,
                    List.of(Keys.QUERY_TIMEOUT.name() + ": expected less than " + Keys.MAINTENANCE_GRACE.name() + ", "
                            + config.text(Keys.MAINTENANCE_GRACE) + ", got " + config.text(Keys.QUERY_TIMEOUT)
                            + ": files that a query still reads could be removed"));
        }
        if (config.get(Keys.QUERY_TIMEOUT).compareTo(config.get(Keys.QUERY_MAX_TIMEOUT)) > 0) {
            throw new ConfigException(
                    source,
                    List.of(Keys.QUERY_TIMEOUT.name() + ": expected at most " + Keys.QUERY_MAX_TIMEOUT.name() + ", "
                            + config.text(Keys.QUERY_MAX_TIMEOUT) + ", got " + config.text(Keys.QUERY_TIMEOUT)));
        }
        Set<String> places = new HashSet<>();
        for (String pair : config.get(Keys.GATEWAY_INFLUX).split(",", -1)) {
            String place = pair.substring(0, Math.max(0, pair.indexOf('=')));
            if (!places.add(place)) {
                throw new ConfigException(
                        source,
                        List.of(Keys.GATEWAY_INFLUX.name() + ": expected one stream for each place, got two for '"
                                + place + "'"));
            }
        }
        long share = config.get(Keys.QUERY_MEMORY).bytes() * config.get(Keys.QUERY_MEMORY_SHARE) / 100;
        if (share < Keys.LEAST_QUERY_SHARE_BYTES) {
            throw new ConfigException(
                    source,
                    List.of(Keys.QUERY_MEMORY_SHARE.name() + ": expected at least "
                            + new DataSize(Keys.LEAST_QUERY_SHARE_BYTES) + " for one query, got "
                            + config.text(Keys.QUERY_MEMORY_SHARE) + " per cent of " + Keys.QUERY_MEMORY.name() + ", "
                            + config.text(Keys.QUERY_MEMORY) + ": a query that asks for rows would be refused"));
        }
        return config;
    }

    /** The value of a key. */
    public <T> T get(Key<T> key) {
        Object value = values.get(key.name());
        if (value == null) {
            throw new IllegalArgumentException("key " + key + " is not one of Keys.ALL");
        }
        // Values are only ever put in by the key of the same name.
        @SuppressWarnings("unchecked")
        T typed = (T) value;
        return typed;
    }

    /** A copy with one value replaced. */
    public <T> WaterwheelConfig with(Key<T> key, T value) {
        Map<String, String> texts = new LinkedHashMap<>(toMap());
        texts.put(key.name(), key.format(value));
        return of("the program", texts, storm);
    }

    /** The keys of the {@code storm} section. */
    public Set<String> stormKeys() {
        return storm.keySet();
    }

    /**
     * A copy with keys of the {@code storm} section replaced, as {@code storm jar -c} does.
     *
     * @param more by key the value, as YAML has it
     * @throws ConfigException as {@link #parse}
     */
    public WaterwheelConfig withStorm(Map<String, String> more) {
        Map<String, Object> changed = new LinkedHashMap<>(storm);
        List<String> problems = new ArrayList<>();
        more.forEach((key, text) -> {
            try {
                changed.put(key, plain(YAML.readTree(text)));
            } catch (JsonProcessingException e) {
                problems.add("storm: " + key + ": not YAML: " + e.getOriginalMessage());
            }
        });
        if (!problems.isEmpty()) {
            throw new ConfigException("-c", problems);
        }
        return of("-c", toMap(), changed);
    }

    /** Every key with its value as text. */
    public Map<String, String> toMap() {
        Map<String, String> texts = new TreeMap<>();
        for (Key<?> key : Keys.ALL) {
            texts.put(key.name(), text(key));
        }
        return texts;
    }

    /**
     * The {@code storm} section and, under {@link #STORM_KEY}, all of {@link #toMap}: what a topology is submitted
     * with.
     */
    public Map<String, Object> toStormConf() {
        Map<String, Object> conf = new LinkedHashMap<>(storm);
        conf.put(STORM_KEY, toMap());
        return conf;
    }

    /** Where this namespace's chunks are: {@code <chunk-store.uri>/<namespace>}. */
    public String chunkStoreUri() {
        String uri = get(Keys.CHUNK_STORE_URI);
        return (uri.endsWith("/") ? uri : uri + "/") + get(Keys.NAMESPACE);
    }

    /** The catalog's root: {@code <zookeeper.root>/<namespace>}. */
    public String catalogRoot() {
        return get(Keys.ZOOKEEPER_ROOT) + "/" + get(Keys.NAMESPACE);
    }

    /** How long records stay in topics after their rows came into chunks; nothing when they are not deleted. */
    public Optional<Duration> indexedRecordsStay() {
        String value = get(Keys.KAFKA_DELETE_INDEXED);
        return value.equals(Keys.OFF) || value.equals(Keys.AUTO)
                ? Optional.empty()
                : Optional.of(DurationText.parse(value));
    }

    /** Records stay for ten looks at their topic in any case: by then a log that was cut is known to be. */
    public Duration leastIndexedRecordsStay() {
        return get(Keys.SOURCE_CHECK_INTERVAL).multipliedBy(LOOKS_BEFORE_DELETION);
    }

    /** How long records stay at least, as people write it: {@link Keys#OFF} when they are not deleted. */
    public String indexedRecordsStayText() {
        Duration least = leastIndexedRecordsStay();
        return indexedRecordsStay()
                .map(stay -> DurationText.format(stay.compareTo(least) < 0 ? least : stay))
                .orElse(Keys.OFF);
    }

    private <T> String text(Key<T> key) {
        return key.format(get(key));
    }

    private static Map<String, Key<?>> byName() {
        Map<String, Key<?>> keys = new LinkedHashMap<>();
        Keys.ALL.forEach(key -> keys.put(key.name(), key));
        return keys;
    }

    @Override
    public String toString() {
        return "WaterwheelConfig" + toMap();
    }

    /** Where clients are told to find Kafka, as {@code bootstrap.servers}. */
    public String kafkaForClients() {
        String named = get(Keys.KAFKA_CLIENT_BOOTSTRAP);
        return named.equals(Keys.KAFKA_BOOTSTRAP.name()) ? get(Keys.KAFKA_BOOTSTRAP) : named;
    }
}
