package io.waterwheel.client.admin;

import io.waterwheel.schema.Dimension;
import io.waterwheel.wire.proto.RescaleStreamReply;
import io.waterwheel.wire.proto.ScaledDimension;
import java.util.ArrayList;
import java.util.List;

/**
 * Other scales of the dimensions of a stream's key, put in force or proposed.
 *
 * @param scales the version that they have, or would have
 * @param dimensions by these scales
 * @param gains by dimension; empty where there were too few rows to tell
 * @param rows newest tuples that were looked at
 * @param routingVersion the version of the routing table that names the scales; 0 when nothing was changed
 */
public record Rescaling(int scales, List<Dimension> dimensions, List<Gain> gains, int rows, int routingVersion) {
    /**
     * What rows make of a dimension's cells: as many cells, if all had as many rows, would tell as much apart.
     *
     * @param before cells in use by the scales that were there, of {@code cellsBefore}
     * @param after cells in use by the new scales, of {@code cellsAfter}
     */
    public record Gain(double before, int cellsBefore, double after, int cellsAfter) {}

    public Rescaling {
        dimensions = List.copyOf(dimensions);
        gains = List.copyOf(gains);
    }

    /** What a server answers. */
    public static Rescaling of(RescaleStreamReply message) {
        List<Gain> gains = new ArrayList<>();
        message.getGainsList()
                .forEach(gain -> gains.add(
                        new Gain(gain.getBefore(), gain.getCellsBefore(), gain.getAfter(), gain.getCellsAfter())));
        return new Rescaling(
                message.getScales(),
                message.getDimensionsList().stream().map(Rescaling::dimension).toList(),
                gains,
                message.getRows(),
                message.getRoutingVersion());
    }

    static Dimension dimension(ScaledDimension message) {
        return new Dimension(
                message.getField(),
                message.getBits(),
                message.getRangeList(),
                message.getCutsList(),
                message.getBytes());
    }

    /** A dimension as a request has it. */
    public static ScaledDimension message(Dimension dimension) {
        return ScaledDimension.newBuilder()
                .setField(dimension.field())
                .setBits(dimension.bits())
                .addAllRange(dimension.range())
                .addAllCuts(dimension.cuts())
                .setBytes(dimension.bytes())
                .build();
    }
}
