package io.waterwheel.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PartitionTroubleTest {
    @Test
    void eachKindSaysSomethingAndNamesTheStream() {
        for (PartitionTrouble.Kind kind : PartitionTrouble.Kind.values()) {
            String sentence = new PartitionTrouble(kind, "").sentence("flights");
            assertThat(sentence.isEmpty()).as("%s", kind).isEqualTo(kind == PartitionTrouble.Kind.NONE);
            assertThat(sentence).doesNotContain("STREAM");
        }
        assertThat(PartitionTrouble.of(PartitionTrouble.Kind.NONE)).isSameAs(PartitionTrouble.NONE);
    }

    /** The detail quotes records, and a record may say STREAM. */
    @Test
    void theDetailStaysAsItIs() {
        PartitionTrouble trouble =
                new PartitionTrouble(PartitionTrouble.Kind.RECORD_REFUSED, "halted before offset 1: 'STREAM'");
        assertThat(trouble.sentence("flights"))
                .startsWith("halted before offset 1: 'STREAM'. `waterwheel stream set flights dead-letters=skip`");
    }
}
