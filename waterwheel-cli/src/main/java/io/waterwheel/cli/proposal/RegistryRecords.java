package io.waterwheel.cli.proposal;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import java.util.Map;

/**
 * What is known of records that were looked at as JSON, and are not.
 *
 * @param format that they have
 * @param registry the address of the one that has their schemas
 * @param types by path, such as {@code $.position.lat}, of the fields that hold their values
 */
public record RegistryRecords(RecordFormat format, String registry, Map<String, FieldType> types) {
    /** Records that are what they were looked at as. */
    public static final RegistryRecords NONE = new RegistryRecords(RecordFormat.JSON, "", Map.of());

    public RegistryRecords {
        types = Map.copyOf(types);
    }

    boolean any() {
        return !registry.isEmpty();
    }
}
