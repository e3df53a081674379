package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.apache.arrow.vector.types.Types;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Jackson looks at Arrow's classes only when it reads a schema, and then reads what it read before. */
final class QuickArrowTest {
    @Test
    @EnabledForJreRange(max = JRE.JAVA_25, disabledReason = "Java warns of final fields that are set")
    void jacksonInspectsWhatItReadsAndNothingAhead() throws IOException {
        assertThat(QuickArrow.begin())
                .as("this version of Jackson has its default there")
                .isTrue();
        assertThat(new ObjectMapper().isEnabled(DeserializationFeature.EAGER_DESERIALIZER_FETCH))
                .isFalse();
        assertThat(new ObjectMapper().isEnabled(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES))
                .isTrue();
        Schema schema = new Schema(List.of(Field.nullable("a", Types.MinorType.BIGINT.getType())));
        assertThat(Schema.fromJSON(schema.toJson())).isEqualTo(schema);
    }
}
