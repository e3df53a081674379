package io.waterwheel.trino;

import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.SchemaFile;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** A stream with a field of every type, and the same rows as a table of Trino's own. */
final class Readings {
    static final List<String> COLUMNS =
            List.of("at", "id", "n", "x", "f", "ok", "note", "raw", "us", "ns", "ip4", "ip6", "u", "price", "big");

    private static final String DEFINITION = """
            name: NAME
            format: block
            partitions: 2
            fields:
              - {name: at, type: timestamp}
              - {name: id, type: long}
              - {name: n, type: int, nullable: true}
              - {name: x, type: double, nullable: true}
              - {name: f, type: float, nullable: true}
              - {name: ok, type: boolean, nullable: true}
              - {name: note, type: string, nullable: true, indexed: true}
              - {name: raw, type: bytes, nullable: true}
              - {name: us, type: timestamp_us, nullable: true}
              - {name: ns, type: timestamp_ns, nullable: true}
              - {name: ip4, type: ipv4, nullable: true}
              - {name: ip6, type: ipv6, nullable: true}
              - {name: u, type: uuid, nullable: true}
              - {name: price, type: 'decimal(12, 2)', nullable: true}
              - {name: big, type: 'decimal(30, 4)', nullable: true}
            key: KEY
            time: at
            """;

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSSSSS").withZone(ZoneOffset.UTC);
    private static final Instant BEGIN = Instant.parse("2026-11-20T00:00:00Z");
    private static final long SPAN_MILLIS = 3_600_000;

    private final String name;
    private final Random random;
    private final List<Object[]> rows = new ArrayList<>();

    /**
     * Makes the stream and the table {@code memory.default.NAME}.
     *
     * @param key as a definition has it
     */
    Readings(String name, String key, long seed) {
        this.name = name;
        this.random = new Random(seed);
        ServerProcess.client()
                .createStream(
                        SchemaFile.read("test", DEFINITION.replace("NAME", name).replace("KEY", key)));
        TrinoCluster.shared()
                .execute("CREATE TABLE memory.default." + name
                        + " (at timestamp(3) with time zone, id bigint, n integer, x double, f real, ok boolean,"
                        + " note varchar, raw varbinary, us timestamp(6) with time zone, ns timestamp(9) with time zone,"
                        + " ip4 ipaddress, ip6 ipaddress, u uuid, price decimal(12, 2), big decimal(30, 4))");
    }

    /** Appends random rows to both, and waits until queries see them. */
    Map<Integer, Long> append(int count) {
        WaterwheelClient client = ServerProcess.client();
        Map<Integer, Long> positions;
        List<String> values = new ArrayList<>();
        try (Appender appender = client.appender(name)) {
            for (int i = 0; i < count; i++) {
                Object[] row = row();
                rows.add(row);
                appender.append(row);
                values.add(literals(row));
            }
            positions = appender.flush();
        }
        client.query(name).atLeast(positions).count();
        TrinoCluster.shared().execute("INSERT INTO memory.default." + name + " VALUES " + String.join(", ", values));
        return positions;
    }

    /** A random value of the column, as a literal of Trino's; one that a row has, most of the time. */
    String literal(String column) {
        int index = COLUMNS.indexOf(column);
        Object value = null;
        while (value == null) {
            value = rows.isEmpty() || random.nextInt(4) == 0
                    ? row()[index]
                    : rows.get(random.nextInt(rows.size()))[index];
        }
        return literal(column, value);
    }

    private Object[] row() {
        Instant at = BEGIN.plusMillis(random.nextLong(SPAN_MILLIS));
        return new Object[] {
            at,
            random.nextBoolean() ? random.nextLong(50) : random.nextLong(),
            some(random.nextInt(40) - 20),
            some(doubles()),
            some((float) doubles()),
            some(random.nextBoolean()),
            some(text()),
            some(bytes(random.nextInt(5))),
            some(at.plusNanos(random.nextInt(1000) * 1000L)),
            some(at.plusNanos(random.nextInt(1_000_000))),
            some("10." + random.nextInt(3) + "." + random.nextInt(250) + ".200"),
            some(random.nextBoolean() ? "2001:db8::" + random.nextInt(20) : "::ffff:10.0.0." + random.nextInt(200)),
            some(new UUID(random.nextLong(), random.nextInt(3))),
            some(BigDecimal.valueOf(random.nextInt(4000) - 2000, 2)),
            some(new BigDecimal(new BigInteger(90, random).subtract(BigInteger.ONE.shiftLeft(89)), 4))
        };
    }

    private double doubles() {
        return switch (random.nextInt(12)) {
            case 0 -> Double.NaN;
            case 1 -> Double.POSITIVE_INFINITY;
            case 2 -> -0.0;
            case 3 -> 0.0;
            default -> random.nextInt(100) / 4.0 - 10;
        };
    }

    private String text() {
        String[] some = {"", "a", "ab", "abc", "b", "it's", "größe", "日本", "\uD83D\uDE00x", "a%", "zz"};
        return some[random.nextInt(some.length)] + (random.nextInt(3) == 0 ? random.nextInt(30) : "");
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private Object some(Object value) {
        return random.nextInt(8) == 0 ? null : value;
    }

    private static String literals(Object[] row) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < row.length; i++) {
            all.add(row[i] == null ? "NULL" : literal(COLUMNS.get(i), row[i]));
        }
        return "(" + String.join(", ", all) + ")";
    }

    private static String literal(String column, Object value) {
        return switch (column) {
            case "at" -> time((Instant) value, 3);
            case "us" -> time((Instant) value, 6);
            case "ns" -> time((Instant) value, 9);
            case "id" -> "BIGINT '" + value + "'";
            case "n" -> "INTEGER '" + value + "'";
            case "x" -> "DOUBLE '" + value + "'";
            case "f" -> "REAL '" + value + "'";
            case "ok" -> value.toString();
            case "note" -> "'" + value.toString().replace("'", "''") + "'";
            case "raw" -> "X'" + HexFormat.of().formatHex((byte[]) value) + "'";
            case "ip4", "ip6" -> "IPADDRESS '" + value + "'";
            case "u" -> "UUID '" + value + "'";
            case "price", "big" -> "DECIMAL '" + ((BigDecimal) value).toPlainString() + "'";
            default -> throw new IllegalArgumentException(column);
        };
    }

    private static String time(Instant value, int digits) {
        String text = TIME.format(value);
        return "TIMESTAMP '" + text.substring(0, text.length() - 9 + digits) + " UTC'";
    }
}
