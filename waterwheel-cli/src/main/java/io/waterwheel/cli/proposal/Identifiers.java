package io.waterwheel.cli.proposal;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.Ipv4;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Counts addresses and UUIDs among the values of a column. One thread. */
final class Identifiers {
    private long ipv4;
    private long ipv6;
    private long uuids;
    private final byte[] sixteen = new byte[FieldType.SIXTEEN];

    /**
     * Looks at a value of a kind that all values before are of: others say nothing.
     *
     * @param before how many there are
     */
    void add(String value, long before) {
        if (ipv4 < before && ipv6 < before && uuids < before) {
            return;
        }
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        ipv4 += ipv4 == before && Ipv4.parse(bytes, 0, bytes.length) >= 0 ? 1 : 0;
        ipv6 += ipv6 == before && FieldType.IPV6.parseSixteen(bytes, 0, bytes.length, sixteen) ? 1 : 0;
        uuids += uuids == before && FieldType.UUID.parseSixteen(bytes, 0, bytes.length, sixteen) ? 1 : 0;
    }

    /** The type of all values, if they are of one of these; else null. */
    @Nullable
    FieldType type(long values) {
        return ipv4 == values
                ? FieldType.IPV4
                : ipv6 == values ? FieldType.IPV6 : uuids == values ? FieldType.UUID : null;
    }
}
