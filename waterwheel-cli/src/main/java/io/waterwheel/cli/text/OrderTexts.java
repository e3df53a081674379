package io.waterwheel.cli.text;

import io.waterwheel.query.Order;
import java.util.ArrayList;
import java.util.List;

/** Orders as people write them: {@code FIELD}, {@code FIELD:asc} or {@code FIELD:desc}. */
public final class OrderTexts {
    private OrderTexts() {}

    /**
     * Reads the orders of all texts.
     *
     * @throws IllegalArgumentException naming the text that is none
     */
    public static List<Order> parse(List<String> texts) {
        List<Order> orders = new ArrayList<>();
        for (String text : texts) {
            int colon = text.indexOf(':');
            String direction = colon < 0 ? "asc" : text.substring(colon + 1);
            if (!direction.equalsIgnoreCase("asc") && !direction.equalsIgnoreCase("desc")) {
                throw new IllegalArgumentException(
                        "--order-by: expected FIELD, FIELD:asc or FIELD:desc, got '" + text + "'");
            }
            orders.add(new Order(colon < 0 ? text : text.substring(0, colon), direction.equalsIgnoreCase("desc")));
        }
        return orders;
    }
}
