package com.example.orders;

import io.waterwheel.client.Appender;
import io.waterwheel.client.RecordCursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.SchemaFile;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Appends a few orders to a stream and asks for them: {@code Orders [grpc://HOST:PORT]}. */
public final class Orders {
    private static final String SCHEMA =
            """
            name: orders
            format: json
            fields:
              - {name: time, type: timestamp}
              - {name: customer, type: long}
              - {name: amount, type: double}
              - {name: note, type: string, nullable: true}
            key: {field: customer}
            time: time
            """;

    /** A row of the answer: each component is the field of its name. */
    public record Order(Instant time, long customer, double amount, String note) {}

    public static void main(String[] args) {
        String server = args.length > 0 ? args[0] : "grpc://127.0.0.1:7070";
        try (WaterwheelClient client = WaterwheelClient.connect(server)) {
            if (client.listStreams().stream().noneMatch(stream -> stream.definition().name().equals("orders"))) {
                client.createStream(SchemaFile.read("orders", SCHEMA));
            }

            Map<Integer, Long> positions;
            try (Appender appender = client.appender("orders")) {
                for (long customer = 4000; customer < 4100; customer++) {
                    appender.append(Instant.now(), customer, customer / 8.0, customer % 7 == 0 ? "lucky" : null);
                }
                positions = appender.flush();
            }

            // Sees at least what was just appended.
            try (RecordCursor<Order> orders = client.query("orders")
                    .keys(4000, 4049)
                    .last(Duration.ofMinutes(5))
                    .where("note IS NOT NULL")
                    .orderByDescending("amount")
                    .limit(3)
                    .atLeast(positions)
                    .records(Order.class)) {
                for (Order order : orders) {
                    System.out.println(order.customer() + " " + order.amount() + " " + order.note());
                }
                System.out.println("complete: " + orders.verdict().complete());
            }
        }
    }
}
