package io.waterwheel.schema;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Types of fields with decimals among them, and random decimals: few are small, some have all digits. */
public final class DecimalTypes {
    private static final List<FieldType> DECIMALS = List.of(
            FieldType.decimal(1, 0),
            FieldType.decimal(4, 4),
            FieldType.decimal(9, 2),
            FieldType.decimal(18, 0),
            FieldType.decimal(18, 6),
            FieldType.decimal(19, 2),
            FieldType.decimal(38, 0),
            FieldType.decimal(38, 10),
            FieldType.decimal(38, 38));

    private DecimalTypes() {}

    /** Some decimals of both forms. */
    public static List<FieldType> decimals() {
        return DECIMALS;
    }

    /** All other types, and decimals about as often as another type. */
    public static FieldType[] all() {
        List<FieldType> types = new ArrayList<>(Arrays.asList(FieldType.values()));
        types.add(FieldType.decimal(18, 6));
        types.add(FieldType.decimal(38, 10));
        return types.toArray(FieldType[]::new);
    }

    /** A decimal of the type, with all of its places. */
    public static BigDecimal value(FieldType type, Random random) {
        BigInteger limit = BigInteger.TEN.pow(type.precision());
        BigInteger unscaled =
                switch (random.nextInt(6)) {
                    case 0 -> limit.subtract(BigInteger.valueOf(1 + random.nextInt(2)));
                    case 1 -> BigInteger.ZERO;
                    case 2, 3 -> BigInteger.valueOf(random.nextInt(9)).mod(limit);
                    default -> new BigInteger(random.nextInt(128), random).mod(limit);
                };
        return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
    }
}
