package io.waterwheel.gateway;

import com.fasterxml.jackson.core.JsonGenerator;
import io.waterwheel.gateway.answer.VerdictJson;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.gateway.rows.PushedRows;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a client is told of the rows that it sent. Pure functions. */
final class RowsAnswer {
    private RowsAnswer() {}

    /**
     * What became of the rows.
     *
     * @param positions where they lie; null: not known yet
     * @param late why it is not known that they are visible; empty: they are; null: not asked for
     */
    static byte[] answer(PushedRows.Counts rows, @Nullable Map<Integer, Long> positions, @Nullable String late) {
        return Json.object(json -> {
            json.writeNumberField("rows", rows.rows());
            json.writeNumberField("rejected", rows.rejected());
            if (positions != null) {
                VerdictJson.positions(json, positions);
            }
            if (late != null) {
                json.writeBooleanField("visible", late.isEmpty());
                if (!late.isEmpty()) {
                    json.writeStringField("reason", late);
                }
            }
            if (rows.rejected() > 0) {
                reasons(json, rows);
            }
        });
    }

    /**
     * That nothing is stored.
     *
     * @param what the body holds: rows, blocks
     * @param place how one of them is found: line, row
     */
    static byte[] refusal(PushedRows.Counts rows, String what, String place) {
        return Json.object(json -> {
            json.writeStringField("code", HttpCode.ROWS_REJECTED.name());
            json.writeStringField(
                    "message",
                    rows.rejected() + " of " + (rows.rows() + rows.rejected()) + " " + what
                            + " are no tuples of the stream, and nothing is stored; with partial=allow the others would be");
            PushedRows.Reason first = rows.reasons().get(0);
            json.writeStringField("at", first.element() > 0 ? "row " + first.element() : place + " " + first.line());
            json.writeNumberField("rejected", rows.rejected());
            reasons(json, rows);
        });
    }

    private static void reasons(JsonGenerator json, PushedRows.Counts rows) throws IOException {
        json.writeArrayFieldStart("errors");
        for (PushedRows.Reason reason : rows.reasons()) {
            json.writeStartObject();
            json.writeNumberField("line", reason.line());
            if (reason.element() > 0) {
                json.writeNumberField("row", reason.element());
            }
            if (reason.field() != null) {
                json.writeStringField("field", reason.field());
            }
            json.writeStringField("reason", reason.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
