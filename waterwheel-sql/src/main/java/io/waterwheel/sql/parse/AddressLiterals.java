package io.waterwheel.sql.parse;

import io.waterwheel.query.expression.CanonicalText;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.leaf.SqlTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlValidator;
import org.jspecify.annotations.Nullable;

/**
 * Says of texts that stand beside an address or a UUID what they stand for, in a statement whose types are known:
 * {@code src = '2001:DB8::1'} asks for the canonical text, and {@code ip < '10.0.0.100'} compares bytes, by
 * {@link EngineFunctions#DIGITS}. A text that is no address is refused at its place. The statement is changed in place.
 */
public final class AddressLiterals extends SqlBasicVisitor<@Nullable Void> {
    private final SqlValidator validator;
    private final EngineFunctions functions;
    private final Predicate<SqlNode> open;

    private AddressLiterals(SqlValidator validator, EngineFunctions functions, Predicate<SqlNode> open) {
        this.validator = validator;
        this.functions = functions;
        this.open = open;
    }

    /**
     * Rewrites a statement.
     *
     * @param open whether a node is a value that is not known yet
     * @throws IllegalStateException when such a one stands beside an address: the statement is planned with its value
     */
    public static void rewrite(
            SqlNode validated, SqlValidator validator, EngineFunctions functions, Predicate<SqlNode> open) {
        validated.accept(new AddressLiterals(validator, functions, open));
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        super.visit(call);
        switch (call.getKind()) {
            case EQUALS, NOT_EQUALS, IS_DISTINCT_FROM, IS_NOT_DISTINCT_FROM, IN, NOT_IN -> compareTexts(call);
            case SOME, ALL -> compareSome(call);
            case LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL, BETWEEN -> compareDigits(call);
            default -> {}
        }
        return null;
    }

    /** Makes the texts beside an address canonical: then they are equal as the addresses are. */
    private void compareTexts(SqlCall call) {
        ValueType type = type(call);
        for (int i = 0; type != null && i < call.operandCount(); i++) {
            SqlNode operand = call.operand(i);
            requireKnown(operand);
            if (operand instanceof SqlCharStringLiteral literal) {
                call.setOperand(i, text(literal, equal(literal, type)));
            } else if (operand instanceof SqlNodeList list) {
                for (int l = 0; l < list.size(); l++) {
                    requireKnown(list.get(l));
                    if (list.get(l) instanceof SqlCharStringLiteral literal) {
                        list.set(l, text(literal, equal(literal, type)));
                    }
                }
            }
        }
    }

    /** By {@code = ANY} and its like texts are equal as addresses are; an order of several is not known. */
    private void compareSome(SqlCall call) {
        SqlKind kind = ((SqlQuantifyOperator) call.getOperator()).comparisonKind;
        if (kind == SqlKind.EQUALS || kind == SqlKind.NOT_EQUALS) {
            compareTexts(call);
        } else if (canonical(call.operand(0)) != null) {
            throw SqlErrors.unsupported(
                    call.getParserPosition(),
                    call.getOperator().getName() + " of addresses, whose order it would not know; join them, or compare"
                            + " CAST(... AS VARCHAR), which is the order of their texts");
        }
    }

    /** Compares digits in place of addresses and of the texts beside them. */
    private void compareDigits(SqlCall call) {
        ValueType type = type(call);
        boolean chosen = call.getOperandList().stream()
                .anyMatch(operand -> operand.getKind() == SqlKind.MIN || operand.getKind() == SqlKind.MAX);
        // These two choose by the text, so it is what is compared.
        if (type == null || chosen) {
            return;
        }
        List<SqlNode> digits = new ArrayList<>();
        for (SqlNode operand : call.getOperandList()) {
            requireKnown(operand);
            if (operand instanceof SqlCharStringLiteral literal) {
                String canonical = written(literal, type);
                digits.add(text(literal, String.valueOf(CanonicalText.digits(canonical))));
            } else if (canonical(operand) == type) {
                digits.add(digits(operand));
            } else if (operand instanceof SqlDynamicParam || SqlUtil.isNullLiteral(operand, false)) {
                return;
            } else {
                throw SqlErrors.unsupported(
                        operand.getParserPosition(),
                        "the order of an address and a text; CAST(... AS VARCHAR) of the address compares texts");
            }
        }
        for (int i = 0; i < digits.size(); i++) {
            call.setOperand(i, digits.get(i));
        }
    }

    /** What the operands are texts of, those that are of addresses at all; null where there is none, or several. */
    private @Nullable ValueType type(SqlCall call) {
        ValueType type = null;
        List<SqlNode> compared = new ArrayList<>();
        for (SqlNode operand : call.getOperandList()) {
            compared.addAll(operand instanceof SqlNodeList list ? list : List.of(operand));
        }
        for (SqlNode operand : compared) {
            ValueType canonical = canonical(operand);
            if (type != null && canonical != null && canonical != type) {
                return null;
            }
            type = canonical == null ? type : canonical;
        }
        return type;
    }

    private @Nullable ValueType canonical(SqlNode operand) {
        RelDataType type = validator.getValidatedNodeTypeIfKnown(operand);
        return type == null ? null : SqlTypes.canonical(type);
    }

    /** A value that is not known yet may have any form. */
    private void requireKnown(SqlNode operand) {
        if (open.test(operand)) {
            throw new IllegalStateException("a text beside an address is not known yet");
        }
    }

    /** The empty text equals no address: tools ask so for what is empty. */
    private static String equal(SqlCharStringLiteral literal, ValueType type) {
        String text = literal.getValueAs(String.class);
        return text.isEmpty() ? text : written(literal, type);
    }

    private static String written(SqlCharStringLiteral literal, ValueType type) {
        String text = literal.getValueAs(String.class);
        try {
            return CanonicalText.of(type, text);
        } catch (IllegalArgumentException e) {
            throw SqlErrors.at(literal.getParserPosition(), String.valueOf(e.getMessage()));
        }
    }

    private SqlNode text(SqlCharStringLiteral from, String value) {
        SqlLiteral made = SqlLiteral.createCharString(value, from.getParserPosition());
        RelDataTypeFactory types = validator.getTypeFactory();
        validator.setValidatedNodeType(made, types.createSqlType(SqlTypeName.VARCHAR));
        return made;
    }

    private SqlNode digits(SqlNode address) {
        SqlParserPos position = address.getParserPosition();
        SqlNode made = functions.required(EngineFunctions.DIGITS).createCall(position, address);
        RelDataTypeFactory types = validator.getTypeFactory();
        validator.setValidatedNodeType(
                made, types.createTypeWithNullability(types.createSqlType(SqlTypeName.VARCHAR), true));
        return made;
    }
}
