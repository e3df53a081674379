package io.waterwheel.client;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes Java records of rows: each component is the field of its name. One thread. */
final class RecordMapper<R extends Record> {
    private final Constructor<R> constructor;
    private final int[] fields;
    private final @Nullable Object[] values;
    private final Class<?>[] types;

    private RecordMapper(Constructor<R> constructor, int[] fields) {
        this.constructor = constructor;
        this.fields = fields;
        this.types = constructor.getParameterTypes();
        this.values = new Object[fields.length];
    }

    /** The names of the fields that a record needs. */
    static List<String> names(Class<? extends Record> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
    }

    /**
     * A mapper of answers with these fields.
     *
     * @throws WaterwheelException of kind USER, code RECORD_MISFIT, that names every component that does not fit
     */
    static <R extends Record> RecordMapper<R> of(Class<R> type, List<Field> answer) {
        RecordComponent[] components = type.getRecordComponents();
        int[] fields = new int[components.length];
        List<String> wrong = new ArrayList<>();
        for (int c = 0; c < components.length; c++) {
            fields[c] = indexOf(components[c].getName(), answer);
            if (fields[c] < 0) {
                wrong.add("component " + components[c].getName()
                        + ": the answer has no field of that name, its fields are "
                        + answer.stream().map(Field::name).toList());
            } else {
                misfit(components[c], answer.get(fields[c]), wrong);
            }
        }
        if (!wrong.isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.RECORD_MISFIT,
                    "rows cannot be made records " + type.getSimpleName() + ": " + String.join("; ", wrong));
        }
        return new RecordMapper<>(constructor(type, components), fields);
    }

    private static int indexOf(String name, List<Field> answer) {
        for (int f = 0; f < answer.size(); f++) {
            if (answer.get(f).name().equals(name)) {
                return f;
            }
        }
        return -1;
    }

    private static void misfit(RecordComponent component, Field field, List<String> wrong) {
        Set<Class<?>> fitting = JavaTypes.fitting(field.type());
        Class<?> type = component.getType();
        String what = "component " + component.getName() + " is of type " + type.getSimpleName() + ", ";
        if (!fitting.contains(type)) {
            wrong.add(what + "and the field is of type " + field.type().schemaName() + ": expected "
                    + String.join(
                            " or ",
                            fitting.stream().map(Class::getSimpleName).sorted().toList()));
        } else if (type.isPrimitive() && field.nullable()) {
            wrong.add(what + "and the field may be null: expected its class, not the primitive type");
        }
    }

    private static <R extends Record> Constructor<R> constructor(Class<R> type, RecordComponent[] components) {
        try {
            Constructor<R> canonical = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            canonical.setAccessible(true);
            return canonical;
        } catch (NoSuchMethodException | RuntimeException e) {
            throw new WaterwheelException(
                    ErrorCode.RECORD_MISFIT,
                    "record " + type.getName() + " cannot be made from here: make it public, or open its module to "
                            + "waterwheel-client: " + e.getMessage(),
                    e);
        }
    }

    /** The record of the cursor's row. */
    R read(Cursor row) {
        for (int c = 0; c < fields.length; c++) {
            int field = fields[c];
            if (row.isNull(field)) {
                values[c] = null;
            } else if (types[c] == Instant.class) {
                values[c] = row.getInstant(field);
            } else if (types[c] == UUID.class) {
                values[c] = row.getUuid(field);
            } else {
                values[c] = widened(row.value(field), types[c]);
            }
        }
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw new WaterwheelException(
                    ErrorCode.RECORD_REFUSED,
                    "record " + constructor.getDeclaringClass().getSimpleName() + " refuses the row "
                            + Arrays.toString(values) + ": " + e.getCause(),
                    e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("record " + constructor.getDeclaringClass() + " cannot be made", e);
        }
    }

    /** Reflection widens primitive values by itself, but not their classes. */
    private static @Nullable Object widened(@Nullable Object value, Class<?> type) {
        if (value instanceof Integer number && type == Long.class) {
            return number.longValue();
        } else if (value instanceof Float number && type == Double.class) {
            return number.doubleValue();
        }
        return value;
    }
}
