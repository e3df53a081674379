package io.waterwheel.query.run;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;

/** Sums the arrays of primitives that an object of ours leads to, one by one. */
public final class HeldArrays {
    private HeldArrays() {}

    /** @param others what they lead to is not counted */
    public static long bytes(Object root, Object... others) throws IllegalAccessException {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Object other : others) {
            walk(other, seen);
        }
        return walk(root, seen);
    }

    private static long walk(Object root, Set<Object> seen) throws IllegalAccessException {
        long bytes = 0;
        Deque<Object> left = new ArrayDeque<>();
        left.push(root);
        while (!left.isEmpty()) {
            Object next = left.pop();
            Class<?> type = next.getClass();
            if (!seen.add(next)) {
                continue;
            }
            if (type.isArray()) {
                for (int i = 0; !type.componentType().isPrimitive() && i < Array.getLength(next); i++) {
                    push(Array.get(next, i), left);
                }
                bytes += !type.componentType().isPrimitive() ? 0 : (long) Array.getLength(next) * width(type);
                continue;
            }
            for (Class<?> c = type; c != null && c.getName().startsWith("io.waterwheel."); c = c.getSuperclass()) {
                for (Field field : c.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())
                            && !field.getType().isPrimitive()) {
                        field.setAccessible(true);
                        push(field.get(next), left);
                    }
                }
            }
            if (next instanceof Iterable<?> some) {
                some.forEach(one -> push(one, left));
            }
        }
        return bytes;
    }

    private static void push(Object value, Deque<Object> left) {
        if (value != null
                && (value.getClass().isArray()
                        || value instanceof Iterable<?>
                        || value.getClass().getName().startsWith("io.waterwheel."))) {
            left.push(value);
        }
    }

    private static int width(Class<?> array) {
        return array == long[].class || array == double[].class ? 8 : array == int[].class ? 4 : 1;
    }
}
