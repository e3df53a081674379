package io.waterwheel.key;

import io.waterwheel.geo.Box;
import io.waterwheel.tuple.KeyInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** A box; one over the antimeridian is covered as two. */
final class BoxArea extends Area {
    private final Box box;

    BoxArea(Box box) {
        this.box = box;
    }

    @Override
    public List<Box> bounds() {
        return box.crossesAntimeridian()
                ? List.of(
                        new Box(box.west(), box.south(), 180, box.north()),
                        new Box(-180, box.south(), box.east(), box.north()))
                : List.of(box);
    }

    @Override
    public boolean contains(double longitude, double latitude) {
        return box.contains(longitude, latitude);
    }

    /** Over the antimeridian both sides of a rectangle must lie east of it, or west. */
    @Override
    public boolean holds(double west, double south, double east, double north, LongConsumer spend) {
        boolean apart = box.crossesAntimeridian() && west <= box.east() && east >= box.west();
        return box.contains(west, south) && box.contains(east, north) && !apart;
    }

    @Override
    public List<KeyInterval> intervals(ZOrder zOrder, int limit, LongConsumer spend) {
        if (!box.crossesAntimeridian()) {
            return BoxIntervals.of(box, zOrder, limit);
        }
        List<KeyInterval> both = new ArrayList<>();
        for (Box side : bounds()) {
            both.addAll(BoxIntervals.of(side, zOrder, limit));
        }
        return KeyIntervals.fewest(both, limit);
    }
}
