package io.waterwheel.topology.config;

import io.waterwheel.error.NearestName;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.storm.Config;
import org.apache.storm.utils.Utils;
import org.apache.storm.validation.ConfigValidation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What may stand in the section {@code storm}: keys that Storm declares, with values that its own validators take. A
 * key whose first part is none of Storm's belongs to somebody's plugin; it is handed on with a warning.
 */
final class StormSection {
    private static final Logger LOG = LoggerFactory.getLogger(StormSection.class);

    /** Keys that follow from Waterwheel's own, which would win silently. */
    private static final Map<String, String> OURS = Map.of(
            Config.TOPOLOGY_WORKERS, "set topology.workers outside of the section storm",
            Config.TOPOLOGY_NAME, "set topology.name outside of the section storm",
            Config.TOPOLOGY_ACKER_EXECUTORS, "it is always 0: offsets of the log are the truth",
            Config.TOPOLOGY_FALL_BACK_ON_JAVA_SERIALIZATION, "it is always false",
            WaterwheelConfig.STORM_KEY, "it holds Waterwheel's own keys");

    private StormSection() {}

    /** What is wrong with it, a sentence each, beginning with the key. */
    static List<String> problems(Map<String, Object> section) {
        List<String> problems = new ArrayList<>();
        if (section.isEmpty()) {
            return problems;
        }
        Set<String> known = known();
        Set<String> families = new TreeSet<>();
        known.forEach(key -> families.add(family(key)));
        section.forEach((key, value) -> {
            if (OURS.containsKey(key)) {
                problems.add("storm: " + key + ": " + OURS.get(key));
            } else if (known.contains(key)) {
                try {
                    ConfigValidation.validateFields(Map.of(key, value), List.of(Config.class));
                } catch (IllegalArgumentException e) {
                    problems.add("storm: " + key + ": " + e.getMessage());
                }
            } else if (families.contains(family(key))) {
                problems.add(
                        "storm: " + key + ": Storm has no such key; did you mean " + NearestName.of(key, known) + "?");
            } else {
                LOG.warn(
                        "configuration, section storm: {} is handed on, but Storm itself has no such key (the nearest is"
                                + " {})",
                        key,
                        NearestName.of(key, known));
            }
        });
        return problems;
    }

    private static String family(String key) {
        int dot = key.indexOf('.');
        return dot < 0 ? key : key.substring(0, dot);
    }

    /** Those that Storm's client declares, and those of its daemons that have a default. */
    private static Set<String> known() {
        Set<String> known = new TreeSet<>(Utils.readDefaultConfig().keySet());
        for (Field field : Config.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
                try {
                    known.add(String.valueOf(field.get(null)));
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException("Storm's public field " + field + " cannot be read", e);
                }
            }
        }
        return known;
    }
}
