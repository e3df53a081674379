package io.waterwheel.schema;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How each kind of key is written as the object {@code key} of a definition. */
final class KeyForms {
    /**
     * One kind.
     *
     * @param members that its object may have; the first one tells that a key is of this kind
     * @param shown what to write, for messages
     * @param read makes the key, or reports errors and returns null
     */
    record Form(List<String> members, String shown, Function<Members, @Nullable KeySpec> read) {}

    /** An object without the first member of any kind is taken for the last. */
    private static final List<Form> FORMS =
            List.of(KeySpec.Ordered.FORM, KeySpec.Dimensions.FORM, KeySpec.Position.FORM);

    private static final Set<String> KNOWN =
            FORMS.stream().flatMap(form -> form.members().stream()).collect(Collectors.toUnmodifiableSet());

    private KeyForms() {}

    /** The key of a definition; null when its errors have been reported. */
    static @Nullable KeySpec read(Members definition) {
        Members key = definition.object("key", "the key", KNOWN);
        if (key == null) {
            definition.error(
                    "key",
                    "key is missing: expected "
                            + FORMS.stream().map(Form::shown).collect(Collectors.joining(" or ")));
            return null;
        }
        Form form = FORMS.get(FORMS.size() - 1);
        for (int i = FORMS.size() - 1; i >= 0; i--) {
            form = key.has(FORMS.get(i).members().get(0)) ? FORMS.get(i) : form;
        }
        if (!form.members().containsAll(key.known())) {
            key.error(
                    "",
                    "key: expected either "
                            + FORMS.stream().map(KeyForms::enumerated).collect(Collectors.joining(", or ")));
        }
        return form.read().apply(key);
    }

    private static String enumerated(Form form) {
        int last = form.members().size() - 1;
        return last == 0
                ? form.members().get(0)
                : String.join(", ", form.members().subList(0, last)) + " and "
                        + form.members().get(last);
    }
}
