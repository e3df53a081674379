package io.waterwheel.embedded;

import com.fasterxml.jackson.databind.DeserializationFeature;
import java.lang.reflect.Field;

/**
 * Lets Arrow start without what the client's commands never read: schemas as JSON. Arrow's class of schemas makes a
 * reader of them when it is loaded, and Jackson then inspects all classes of types, unless it is told to do so when
 * something is read. It is told by its features; Arrow leaves them as they are by default, so the default is changed.
 * What is read as JSON all the same is read as before.
 */
final class QuickArrow {
    /** From this version on, Java warns on standard error of who writes to a final field. */
    private static final int WARNING_JAVA = 26;

    private QuickArrow() {}

    /**
     * Before the first use of Arrow.
     *
     * @return false where this version of Jackson has its default elsewhere, or Java would warn: then commands are
     *     slower, and no more
     */
    static boolean begin() {
        if (Runtime.version().feature() >= WARNING_JAVA) {
            return false;
        }
        try {
            Field byDefault = DeserializationFeature.class.getDeclaredField("_defaultState");
            byDefault.setAccessible(true);
            byDefault.setBoolean(DeserializationFeature.EAGER_DESERIALIZER_FETCH, false);
            return !DeserializationFeature.EAGER_DESERIALIZER_FETCH.enabledByDefault();
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }
}
