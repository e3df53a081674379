package io.waterwheel.schema;

import io.waterwheel.geo.Box;
import io.waterwheel.schema.Document.Node;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of key as a stream's definition says it: which fields make the key, and with what parameters. How keys are
 * made, narrowed and shown says {@code io.waterwheel.key.KeyScheme}; {@link KeyForms} lists how each kind is written.
 */
public sealed interface KeySpec {
    /**
     * A field that takes part in the key.
     *
     * @param name of the part it plays, for messages
     * @param field the field's name
     * @param types that the field may have
     * @param mayBeNull whether the field may be nullable
     */
    record Role(String name, String field, Set<FieldType> types, boolean mayBeNull) {
        Role(String name, String field, Set<FieldType> types) {
            this(name, field, types, false);
        }
    }

    /** The fields that make the key. */
    List<Role> roles();

    /**
     * What is wrong with the parameters, or null.
     *
     * @param fields by name, those of the roles; some may lack where a definition is wrong
     * @param time name of the field that is the time
     */
    default @Nullable String problem(Map<String, Field> fields, String time) {
        return null;
    }

    /**
     * What must be said before a stream can be created, or null: of a definition that is to be completed by rows.
     *
     * @param fields by name
     */
    default @Nullable String missing(Map<String, Field> fields) {
        return null;
    }

    /** The field that alone makes the key, whose order the key keeps; null when there is no such field. */
    default @Nullable String onlyField() {
        return null;
    }

    /** The fields that are the longitude and the latitude, where shapes can be asked for; empty otherwise. */
    default List<String> position() {
        return List.of();
    }

    /** The dimensions, where the key has some that rows may complete; null otherwise. */
    default @Nullable Dimensions dimensional() {
        return null;
    }

    /**
     * Of keys that interleave the bits of several dimensions: the dimensions by which bits follow each other, from the
     * highest bit on, by number. Empty for other keys.
     *
     * @param fields by name
     */
    default int[] order(Map<String, Field> fields) {
        return new int[0];
    }

    /** The members of the definition's object {@code key}, in order; values are texts, doubles, and lists and maps. */
    Map<String, Object> members();

    /**
     * The key is made of the value of one field, of any type, and keeps its order (see
     * {@code io.waterwheel.key.KeyCodec}).
     *
     * @param field the field's name; not nullable
     */
    record Ordered(String field) implements KeySpec {
        static final KeyForms.Form FORM = new KeyForms.Form(List.of("field"), "{field: NAME}", Ordered::read);

        private static @Nullable KeySpec read(Members members) {
            String field = members.text("field");
            return field.isEmpty() ? null : new Ordered(field);
        }

        @Override
        public List<Role> roles() {
            return List.of(new Role("key", field, Schema.ANY));
        }

        @Override
        public String onlyField() {
            return field;
        }

        @Override
        public Map<String, Object> members() {
            return Map.of("field", field);
        }
    }

    /**
     * The key is the z-order code of a position, 31 bits a dimension (see {@code io.waterwheel.key.ZOrder}).
     *
     * @param longitude name of a double field, degrees
     * @param latitude name of a double field, degrees
     * @param domain the box every position must lie in; a tuple outside it is rejected
     */
    record Position(String longitude, String latitude, Box domain) implements KeySpec {
        static final KeyForms.Form FORM = new KeyForms.Form(
                List.of("longitude", "latitude", "box"), "{longitude: NAME, latitude: NAME}", Position::read);

        private static @Nullable KeySpec read(Members members) {
            String longitude = members.text("longitude");
            String latitude = members.text("latitude");
            Box domain = members.has("box") ? box(members) : Box.WORLD;
            return longitude.isEmpty() || latitude.isEmpty() || domain == null
                    ? null
                    : new Position(longitude, latitude, domain);
        }

        private static @Nullable Box box(Members members) {
            Node node = members.get("box");
            if (node == null || node.items() == null || node.items().size() != 4) {
                members.error(
                        "box",
                        "box: expected [LON1, LAT1, LON2, LAT2], got " + (node == null ? "nothing" : node.describe()));
                return null;
            }
            double[] bounds = new double[4];
            for (int i = 0; i < 4; i++) {
                Node bound = node.items().get(i);
                String text = bound.scalar();
                try {
                    bounds[i] = Double.parseDouble(text == null ? "" : text);
                } catch (NumberFormatException e) {
                    members.error("box", "box: expected a number of degrees, got " + bound.describe());
                    return null;
                }
            }
            try {
                return new Box(bounds[0], bounds[1], bounds[2], bounds[3]);
            } catch (IllegalArgumentException e) {
                members.error("box", String.valueOf(e.getMessage()));
                return null;
            }
        }

        @Override
        public List<String> position() {
            return List.of(longitude, latitude);
        }

        @Override
        public List<Role> roles() {
            return List.of(
                    new Role("longitude", longitude, Schema.DEGREES), new Role("latitude", latitude, Schema.DEGREES));
        }

        @Override
        public @Nullable String problem(Map<String, Field> fields, String time) {
            return domain.west() >= domain.east() || domain.south() == domain.north()
                    ? "the key's box must have an area and not go over the antimeridian"
                    : null;
        }

        @Override
        public Map<String, Object> members() {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("longitude", longitude);
            members.put("latitude", latitude);
            members.put("box", List.of(domain.west(), domain.south(), domain.east(), domain.north()));
            return members;
        }
    }

    /**
     * The key is made of the cells that the values of several fields lie in, their bits interleaved (see
     * {@code io.waterwheel.key.curve.Interleaving}). A field may be nullable: null has a cell of its own, below all
     * others.
     *
     * @param dimensions two to {@value #MOST}
     * @param schedule the names of the dimensions by which bits follow each other, from the highest bit on, each as
     *     often as it has bits; empty: each that has bits left in turn
     * @param position the names of two dimensions, the longitude and the latitude, by which shapes can be asked for;
     *     empty for none
     * @param later the dimensions by the scales that were put in force later, from version 2 on: the same fields with
     *     the same bits, divided otherwise. Not part of a definition
     */
    record Dimensions(
            List<Dimension> dimensions, List<String> schedule, List<String> position, List<List<Dimension>> later)
            implements KeySpec {
        static final KeyForms.Form FORM = new KeyForms.Form(
                List.of("dimensions", "schedule", "position"), "{dimensions: [NAME, NAME]}", DimensionsReader::read);

        static final int MOST = 8;
        static final int MAX_BITS = 63;
        /** Keys of later scales have five bits of their own. */
        static final int MAX_SCALED_BITS = 59;

        static final int MOST_SCALES = 16;
        /** Characters of all versions of the scales, with which what is stored is read: a node takes little more. */
        static final int MAX_TEXT = 900_000;
        /** Of a stream's entry in the catalog, with all versions of the scales, where later ones are put in force. */
        public static final int MOST_ENTRY_BYTES = 512 << 10;
        /** Of such an entry, for cuts that rows tell; the rest is for all that is no cut. */
        private static final int CUT_BYTES = MOST_ENTRY_BYTES - (64 << 10);
        /** Cuts that a version may always have. */
        private static final int LEAST_CUT_BYTES = 2048;
        /** A cut's quotes, and the comma behind it. */
        private static final int TEXT_MARKS = 3;
        /** Of one version, with those that divide ranges, each as 8 bytes: each chunk has all. */
        static final int MAX_CUTS = 1 << Dimension.MAX_BITS;
        /** Listed cuts that releases of all layouts read. */
        private static final int MOST_OF_OLD = 4096;

        public Dimensions {
            dimensions = List.copyOf(dimensions);
            schedule = List.copyOf(schedule);
            position = List.copyOf(position);
            later = later.stream().map(List::copyOf).toList();
        }

        /** Without a position. */
        public Dimensions(List<Dimension> dimensions, List<String> schedule) {
            this(dimensions, schedule, List.of());
        }

        /** As it is created: with one version of scales. */
        public Dimensions(List<Dimension> dimensions, List<String> schedule, List<String> position) {
            this(dimensions, schedule, position, List.of());
        }

        /** How many versions of scales there are; at least 1. */
        public int scales() {
            return 1 + later.size();
        }

        /**
         * The dimensions by one version of scales.
         *
         * @param version from 1 to {@link #scales}
         */
        public List<Dimension> dimensions(int version) {
            return version == 1 ? dimensions : later.get(version - 2);
        }

        /** The same with one more version of scales. */
        public Dimensions withScales(List<Dimension> next) {
            List<List<Dimension>> more = new ArrayList<>(later);
            more.add(next);
            return new Dimensions(dimensions, schedule, position, more);
        }

        /** With the newest scales as the only ones. */
        public Dimensions newest() {
            return new Dimensions(dimensions(scales()), schedule, position);
        }

        @Override
        public List<Role> roles() {
            return dimensions.stream().map(this::role).toList();
        }

        private Role role(Dimension dimension) {
            return switch (position.indexOf(dimension.field())) {
                case 0 -> new Role("longitude", dimension.field(), Schema.DEGREES);
                case 1 -> new Role("latitude", dimension.field(), Schema.DEGREES);
                default -> new Role("dimension", dimension.field(), Schema.ANY, true);
            };
        }

        /** Bits of each dimension. */
        public int[] bits(Map<String, Field> fields) {
            return dimensions.stream()
                    .mapToInt(dimension ->
                            dimension.bits(Objects.requireNonNull(fields.get(dimension.field())), scheduled(dimension)))
                    .toArray();
        }

        @Override
        public int[] order(Map<String, Field> fields) {
            List<String> names = names();
            return schedule.isEmpty()
                    ? Dimension.inTurn(bits(fields))
                    : schedule.stream().mapToInt(names::indexOf).toArray();
        }

        private int scheduled(Dimension dimension) {
            return Collections.frequency(schedule, dimension.field());
        }

        @Override
        public @Nullable String problem(Map<String, Field> fields, String time) {
            if (dimensions.size() < 2 || dimensions.size() > MOST) {
                return "the key: expected 2 to " + MOST + " dimensions, got " + dimensions.size()
                        + (dimensions.size() == 1 ? "; a key of one is {field: NAME}" : "");
            }
            Set<String> names = new LinkedHashSet<>();
            for (Dimension dimension : dimensions) {
                String name = dimension.field();
                if (!names.add(name)) {
                    return "dimension '" + name + "' is there twice";
                }
                if (name.equals(time)) {
                    return "dimension '" + name + "': the time is no dimension: it has its own axis";
                }
            }
            for (String name : schedule) {
                if (!names.contains(name)) {
                    return "schedule: expected names of dimensions, " + String.join(", ", names) + "; got '" + name
                            + "'";
                }
            }
            boolean placed = position.size() == 2
                    && names.containsAll(position)
                    && !position.get(0).equals(position.get(1));
            if (!position.isEmpty() && !placed) {
                return "position: expected two dimensions, the longitude and the latitude, got "
                        + String.join(", ", position);
            }
            if (!fields.keySet().containsAll(names)) {
                return null;
            }
            String problem = cellProblem(fields);
            for (int version = 2; problem == null && version <= scales(); version++) {
                problem = scaleProblem(version, fields);
            }
            return problem;
        }

        /** What is wrong with a later version of the scales, or null. */
        private @Nullable String scaleProblem(int version, Map<String, Field> fields) {
            if (version > MOST_SCALES) {
                return "the key: expected at most " + MOST_SCALES + " versions of scales";
            }
            int[] present = bits(fields);
            int all = Arrays.stream(present).sum();
            if (all > MAX_SCALED_BITS) {
                return "the key: expected at most " + MAX_SCALED_BITS + " bits in all dimensions, for scales that are"
                        + " put in force later, got " + all;
            }
            Dimensions of = new Dimensions(dimensions(version), schedule, position);
            if (!of.names().equals(names())) {
                return "scales, version " + version + ": expected the dimensions " + String.join(", ", names())
                        + "; got " + String.join(", ", of.names());
            }
            String problem = of.cellProblem(fields);
            problem = problem != null ? problem : of.missing(fields);
            if (problem != null) {
                return "scales, version " + version + ": " + problem;
            }
            return Arrays.equals(of.bits(fields), present)
                    ? null
                    : "scales, version " + version + ": expected the bits " + Arrays.toString(present)
                            + ", which never change, got " + Arrays.toString(of.bits(fields));
        }

        private List<String> names() {
            return dimensions.stream().map(Dimension::field).toList();
        }

        /**
         * How many cuts its open dimensions may have, all of them together; below 0 where others have too many.
         *
         * @param fields by name
         */
        public int roomForCuts(Map<String, Field> fields) {
            return MAX_CUTS - cuts(fields);
        }

        /**
         * Whether there is room in the catalog for cuts that rows tell: for as much again as they take, so that there
         * is some for all later scales.
         *
         * @param learned dimensions whose cuts are not among those of this key yet
         */
        public boolean hasRoomFor(List<Dimension> learned) {
            int taken = 0;
            for (int version = 1; version <= scales(); version++) {
                taken += dimensions(version).stream()
                        .mapToInt(Dimension::cutBytes)
                        .sum();
            }
            int more = learned.stream().mapToInt(Dimension::cutBytes).sum();
            return more <= Math.max(LEAST_CUT_BYTES, (CUT_BYTES - taken) / 2);
        }

        /** Whether only releases read it that know of long texts as cuts, and of more cuts than once. */
        public boolean hasLongOrManyCuts() {
            boolean has = false;
            for (int version = 1; version <= scales(); version++) {
                int listed = 0;
                for (Dimension dimension : dimensions(version)) {
                    has |= dimension.bytes() > 0;
                    listed += dimension.cuts().size();
                }
                has |= listed > MOST_OF_OLD;
            }
            return has;
        }

        /** What the listed cuts of all versions take as text. */
        private int textLength() {
            int length = 0;
            for (int version = 1; version <= scales(); version++) {
                for (Dimension dimension : dimensions(version)) {
                    for (String cut : dimension.cuts()) {
                        length += cut.length() + TEXT_MARKS;
                    }
                }
            }
            return length;
        }

        /** Those that are listed, each as 8 bytes, and those that divide a range; none where it is open. */
        private int cuts(Map<String, Field> fields) {
            int cuts = 0;
            for (Dimension dimension : dimensions) {
                Field field = Objects.requireNonNull(fields.get(dimension.field()));
                cuts += dimension.range().isEmpty()
                        ? dimension.cuts().size() * (1 + (Math.max(1, dimension.bytes()) - 1) / Long.BYTES)
                        : (1 << dimension.bits(field, scheduled(dimension))) - 1;
            }
            return cuts;
        }

        private @Nullable String cellProblem(Map<String, Field> fields) {
            for (Dimension dimension : dimensions) {
                int scheduled = scheduled(dimension);
                if (!schedule.isEmpty() && scheduled == 0) {
                    return "schedule: dimension '" + dimension.field() + "' is missing";
                }
                String problem = dimension.problem(Objects.requireNonNull(fields.get(dimension.field())), scheduled);
                if (problem != null) {
                    return problem;
                }
            }
            int cuts = cuts(fields);
            int bits = Arrays.stream(bits(fields)).sum();
            if (bits > MAX_BITS) {
                return "the key: expected at most " + MAX_BITS + " bits in all dimensions, got " + bits;
            }
            if (cuts > MAX_CUTS) {
                return "the key: expected at most " + MAX_CUTS + " cuts with those that divide ranges, got " + cuts
                        + "; a range of B bits has 2^B - 1, and a text told apart by N bytes counts N / 8 times";
            }
            return textLength() > MAX_TEXT
                    ? "the key: expected cuts of at most " + MAX_TEXT + " characters as text, with those of all"
                            + " versions of the scales, got " + textLength()
                    : null;
        }

        @Override
        public Dimensions dimensional() {
            return this;
        }

        @Override
        public @Nullable String missing(Map<String, Field> fields) {
            for (Dimension dimension : dimensions) {
                Field field = fields.get(dimension.field());
                if (field != null && dimension.isOpen(field)) {
                    return "dimension '" + dimension.field() + "': expected "
                            + (field.type().variable() ? "" : "range: [LO, HI] or ")
                            + "cuts: [VALUE, ...]; 'stream create FILE.yaml --like FILE.csv' learns them from rows";
                }
            }
            return null;
        }

        @Override
        public Map<String, Object> members() {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put(
                    "dimensions", dimensions.stream().map(Dimension::members).toList());
            if (!schedule.isEmpty()) {
                members.put("schedule", schedule);
            }
            if (!position.isEmpty()) {
                members.put("position", position);
            }
            return members;
        }
    }
}
