package io.waterwheel.schema;

import io.waterwheel.schema.text.KafkaField;
import io.waterwheel.schema.text.MemberPath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a stream, and which of them make the key and the time. Never changed once a stream uses it. A part that
 * names a field that is missing or unfit is an {@link IllegalArgumentException} that says which. Immutable; two of the
 * same parts are equal.
 */
public final class Schema {
    /** Nullable fields are marked in one 64-bit mask a tuple. */
    static final int MAX_NULLABLE = 64;

    static final int MAX_FIELDS = 256;
    /** Types that a field may have for a role. */
    static final Set<FieldType> TIMES = types(FieldType.TIMESTAMP, FieldType.TIMESTAMP_US, FieldType.TIMESTAMP_NS);

    static final Set<FieldType> DEGREES = types(FieldType.DOUBLE);
    static final Set<FieldType> ANY = any();

    private final List<Field> fields;
    private final KeySpec key;
    private final String timeField;
    private final RecordText text;
    /** Made when it is asked for: each query does. Every thread makes the same. */
    private @Nullable RowLayout stored;

    /** A schema whose records are written as RFC 4180 and JSON say. */
    public Schema(List<Field> fields, KeySpec key, String timeField) {
        this(fields, key, timeField, RecordText.DEFAULT);
    }

    /**
     * A schema.
     *
     * @param fields in the order of CSV columns and of answers; 1 to 256, names unique
     * @param key how the key is made
     * @param timeField name of the field of a timestamp type that is the tuple's time; not nullable
     * @param text how records that are text are written
     */
    public Schema(List<Field> fields, KeySpec key, String timeField, RecordText text) {
        fields = List.copyOf(fields);
        this.fields = fields;
        this.key = key;
        this.timeField = timeField;
        this.text = text;
        if (fields.isEmpty() || fields.size() > MAX_FIELDS) {
            throw new IllegalArgumentException("schema: expected 1 to 256 fields, got " + fields.size());
        }
        Map<String, Field> byName = new HashMap<>();
        for (Field field : fields) {
            if (byName.put(field.name(), field) != null) {
                throw new IllegalArgumentException("schema: field '" + field.name() + "' is declared twice");
            }
        }
        if (fields.stream().filter(Field::nullable).count() > MAX_NULLABLE) {
            throw new IllegalArgumentException("schema: more than " + MAX_NULLABLE + " nullable fields");
        }
        refuse(roleProblem(time(timeField), byName.get(timeField)));
        for (KeySpec.Role role : key.roles()) {
            refuse(roleProblem(role, byName.get(role.field())));
        }
        refuse(key.problem(byName, timeField));
        for (String field : text.from().keySet()) {
            if (!byName.containsKey(field)) {
                throw new IllegalArgumentException("schema: from: there is no field '" + field + "'");
            }
        }
        refuse(exportProblem(byName, text));
        refuse(sourceProblem(fields, text));
        refuse(kafkaProblem(byName, text));
        refuse(restProblem(byName, text));
    }

    /** What is wrong with the places of fields in records, or null. */
    private static @Nullable String sourceProblem(List<Field> all, RecordText text) {
        if (text.from().isEmpty()) {
            return null;
        }
        List<Field> fields = new ArrayList<>(all);
        List<String> sources = new ArrayList<>(
                all.stream().map(field -> text.source(field.name())).toList());
        for (Field field : all) {
            String clock = text.clock(field.name());
            if (clock != null) {
                List<MemberPath.Step> day = MemberPath.steps(text.source(field.name()));
                if (MemberPath.stepsToEach(day) != MemberPath.stepsToEach(MemberPath.steps(clock))) {
                    return "from: field " + field.name()
                            + ": the day and the time of day are not both in the elements of one array";
                }
                fields.add(field);
                sources.add(clock);
            }
        }
        List<List<MemberPath.Step>> places =
                sources.stream().map(MemberPath::steps).toList();
        for (int f = 0; f < places.size(); f++) {
            for (int g = 0; g < f; g++) {
                if (!MemberPath.apart(places.get(f), places.get(g))) {
                    return "from: field " + fields.get(f).name() + " is at " + sources.get(f) + ", field "
                            + fields.get(g).name() + " at " + sources.get(g) + ": each needs a place of its own";
                }
            }
        }
        return eachProblem(fields, places);
    }

    /** What is wrong with times of two columns, and with units, or null. */
    private static @Nullable String exportProblem(Map<String, Field> fields, RecordText text) {
        for (String name : text.export().clocks().keySet()) {
            Field field = fields.get(name);
            if (field == null || !field.type().isTimestamp()) {
                return "from: field " + name
                        + " is no timestamp: only a timestamp is in two columns, a day and a time of" + " day";
            }
        }
        for (String name : text.export().units().keySet()) {
            Field field = fields.get(name);
            if (field == null || !(field.type().isNumber() || field.type().isDecimal())) {
                return "unit: field " + name + " is no number";
            }
        }
        return null;
    }

    private static Set<FieldType> any() {
        Set<FieldType> any = new LinkedHashSet<>(List.of(FieldType.values()));
        any.addAll(FieldType.decimals());
        return Collections.unmodifiableSet(any);
    }

    /** Types in the order in which messages name them. */
    private static Set<FieldType> types(FieldType... types) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(types)));
    }

    /** What is wrong with fields that are of Kafka, or null. */
    private static @Nullable String kafkaProblem(Map<String, Field> fields, RecordText text) {
        for (Map.Entry<String, String> from : text.from().entrySet()) {
            KafkaField source = KafkaField.of(from.getValue());
            Field field = fields.get(from.getKey());
            if (source == null || field == null) {
                continue;
            }
            Set<FieldType> types =
                    switch (source.part()) {
                        case KEY, HEADER -> ANY;
                        case TIMESTAMP ->
                            types(FieldType.LONG, FieldType.TIMESTAMP, FieldType.TIMESTAMP_US, FieldType.TIMESTAMP_NS);
                        case PARTITION -> types(FieldType.INT, FieldType.LONG);
                        case OFFSET -> types(FieldType.LONG);
                    };
            if (!types.contains(field.type())) {
                return "from: field " + field.name() + " is of type "
                        + field.type().schemaName() + ", " + from.getValue() + " takes "
                        + types.stream().map(FieldType::schemaName).collect(Collectors.joining(" or "));
            }
        }
        return null;
    }

    /** What is wrong with fields that are in each element of an array, or null. */
    private static @Nullable String eachProblem(List<Field> fields, List<List<MemberPath.Step>> places) {
        String one = "";
        List<MemberPath.Step> array = null;
        for (int f = 0; f < places.size(); f++) {
            int steps = MemberPath.stepsToEach(places.get(f));
            if (steps >= 0) {
                List<MemberPath.Step> here = places.get(f).subList(0, steps);
                if (array != null && !here.equals(array)) {
                    return "from: fields " + one + " and " + fields.get(f).name()
                            + " are in the elements of two arrays: the tuples of a record are the elements of one";
                }
                one = fields.get(f).name();
                array = here;
            }
        }
        for (int f = 0; array != null && f < places.size(); f++) {
            List<MemberPath.Step> place = places.get(f);
            if (MemberPath.stepsToEach(place) < 0
                    && place.size() > array.size()
                    && place.subList(0, array.size()).equals(array)) {
                return "from: field " + fields.get(f).name() + " is in one element of the array, field " + one
                        + " in each";
            }
        }
        return null;
    }

    /** What is wrong with the field that unknown members are kept in, or null. */
    private static @Nullable String restProblem(Map<String, Field> fields, RecordText text) {
        String rest = text.json().rest();
        if (rest.isEmpty()) {
            return null;
        }
        Field field = fields.get(rest);
        String who = "unknown: into " + rest + ": ";
        if (field == null) {
            return who + "there is no such field";
        }
        if (field.type() != FieldType.STRING || !field.nullable() || text.from().containsKey(rest)) {
            return who + "expected a field of type string that is nullable and has no from";
        }
        for (Map.Entry<String, String> from : text.from().entrySet()) {
            if (MemberPath.steps(from.getValue()).stream().anyMatch(MemberPath.Step::element)) {
                return who + "field " + from.getKey() + " is in an array; members are kept of objects only";
            }
        }
        return null;
    }

    /** The part that the time field plays. */
    static KeySpec.Role time(String field) {
        return new KeySpec.Role("time", field, TIMES);
    }

    private static void refuse(@Nullable String problem) {
        if (problem != null) {
            throw new IllegalArgumentException("schema: " + problem);
        }
    }

    /**
     * What is wrong with a field for a role, or null.
     *
     * @param field null when the role's field is not declared
     */
    static @Nullable String roleProblem(KeySpec.Role role, @Nullable Field field) {
        String who = "the " + role.name() + " field '" + role.field() + "'";
        if (field == null) {
            return who + " is not declared";
        }
        if (!role.types().contains(field.type())) {
            return who + " must be of type "
                    + role.types().stream().map(FieldType::schemaName).collect(Collectors.joining(" or "))
                    + ", it is of type " + field.type().schemaName();
        }
        return field.nullable() && !role.mayBeNull() ? who + " must not be nullable" : null;
    }

    /** In the order of CSV columns and of answers. */
    public List<Field> fields() {
        return fields;
    }

    /** How the key is made. */
    public KeySpec key() {
        return key;
    }

    /** Name of the field that is the tuple's time. */
    public String timeField() {
        return timeField;
    }

    /** How records that are text are written. */
    public RecordText text() {
        return text;
    }

    /** Where each field of a stored tuple lies; {@link RowLayout#of(Schema)}. */
    RowLayout stored() {
        RowLayout known = stored;
        if (known == null) {
            known = RowLayout.made(this);
            stored = known;
        }
        return known;
    }

    /** Index of the field that alone makes the key, whose order the key keeps; -1 when there is no such field. */
    public int keyField() {
        String field = key.onlyField();
        return field == null ? -1 : indexOf(field);
    }

    /** The fields that are in the values of records, in order: all, but for those of Kafka. */
    public List<Field> valueFields() {
        return text.kafka().any()
                ? fields.stream().filter(field -> text.inValue(field.name())).toList()
                : fields;
    }

    /** What the columns of a CSV line are called, in their order: as fields, but for a time of two columns. */
    public List<String> columns() {
        List<String> columns = new ArrayList<>();
        for (Field field : valueFields()) {
            String clock = text.clock(field.name());
            columns.add(clock == null ? field.name() : text.source(field.name()));
            if (clock != null) {
                columns.add(clock);
            }
        }
        return columns;
    }

    /** The same fields with another key. */
    public Schema withKey(KeySpec other) {
        return new Schema(fields, other, timeField, text);
    }

    /** The fields by name. */
    public Map<String, Field> byName() {
        Map<String, Field> byName = new HashMap<>();
        fields.forEach(field -> byName.put(field.name(), field));
        return byName;
    }

    /** Whether the key is the time in milliseconds, so that a row has no place for it but its time. */
    public boolean keyIsTime() {
        return timeField.equals(key.onlyField())
                && fields.get(indexOf(timeField)).type() == FieldType.TIMESTAMP;
    }

    /** Index of the field in {@link #fields()}, or -1. */
    public int indexOf(String name) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof Schema that
                        && fields.equals(that.fields)
                        && key.equals(that.key)
                        && timeField.equals(that.timeField)
                        && text.equals(that.text));
    }

    @Override
    public int hashCode() {
        return Objects.hash(fields, key, timeField, text);
    }

    @Override
    public String toString() {
        return "Schema[fields=" + fields + ", key=" + key + ", timeField=" + timeField + ", text=" + text + "]";
    }
}
