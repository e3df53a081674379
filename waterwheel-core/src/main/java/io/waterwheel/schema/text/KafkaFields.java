package io.waterwheel.schema.text;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What a stream's fields take of Kafka beside the values of records: no more of it is kept.
 *
 * @param any whether there is such a field
 * @param key whether one is of the key
 * @param headers whose values are wanted
 */
public record KafkaFields(boolean any, boolean key, List<String> headers) {
    /** Of a stream whose fields are all in the values. */
    public static final KafkaFields NONE = new KafkaFields(false, false, List.of());

    public KafkaFields {
        headers = List.copyOf(headers);
    }

    /**
     * What these sources take.
     *
     * @throws IllegalArgumentException when one begins as such a source does, and is none
     */
    public static KafkaFields of(Collection<String> sources) {
        boolean any = false;
        boolean key = false;
        List<String> headers = new ArrayList<>();
        for (String source : sources) {
            KafkaField field = KafkaField.of(source);
            if (field != null) {
                any = true;
                key |= field.part() == KafkaField.Part.KEY;
                if (field.part() == KafkaField.Part.HEADER && !headers.contains(field.header())) {
                    headers.add(field.header());
                }
            }
        }
        return any ? new KafkaFields(true, key, headers.stream().sorted().toList()) : NONE;
    }
}
