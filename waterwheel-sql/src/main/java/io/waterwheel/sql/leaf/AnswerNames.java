package io.waterwheel.sql.leaf;

import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.Schema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The fields of an answer of tuples: what is asked for twice is a field once, a field of the stream has its own name,
 * and what is computed has the wanted name where no other has it. Not thread-safe.
 */
final class AnswerNames {
    private final List<NamedExpression> selected = new ArrayList<>();
    private final Set<String> taken = new HashSet<>();

    AnswerNames(Schema schema) {
        schema.fields().forEach(field -> taken.add(field.name()));
    }

    /** The number of the field that holds a value; adds it when there is none. */
    int place(Expression value, String wanted) {
        for (int i = 0; i < selected.size(); i++) {
            if (selected.get(i).expression().equals(value)) {
                return i;
            }
        }
        if (value instanceof Expression.FieldValue field) {
            selected.add(NamedExpression.field(field.name()));
        } else {
            selected.add(new NamedExpression(value, free(wanted)));
        }
        return selected.size() - 1;
    }

    String nameOf(Expression value) {
        return selected.get(place(value, "")).name();
    }

    private String free(String wanted) {
        String name = wanted;
        for (int i = 0; !Field.isName(name) || !taken.add(name); i++) {
            name = "c" + (selected.size() + i);
        }
        return name;
    }

    List<NamedExpression> selected() {
        return selected;
    }
}
