package io.waterwheel.sim;

import static io.waterwheel.sim.PlantedBug.Kind.SAFETY;

import io.waterwheel.sim.PlantedBug.World;
import java.util.List;

/** What is right of keys only through a change of the scales; the simulator must miss each on a key of dimensions. */
final class PlantedScaleBugs {
    private PlantedScaleBugs() {}

    private static PlantedBug bug(String name, int rule, String what) {
        return new PlantedBug(name, rule, SAFETY, what).in(World.SCALES);
    }

    static final List<PlantedBug> ALL = List.of(
            bug("scales of a position", 1, "a dispatcher makes keys by the newest scales that it knows")
                    .with(
                            "ingest/dispatch/Segmenter",
                            "keyMaker = keyMakers.get(table.scales() - 1);",
                            "keyMaker = keyMakers.get(keyMakers.size() - 1);"),
            bug("scales carried on", 1, "a table that follows names the first scales again")
                    .with(
                            "catalog/state/RoutingTable",
                            "return new RoutingTable(version + 1, nextBoundaries, nextIndexers, scales);",
                            "return new RoutingTable(version + 1, nextBoundaries, nextIndexers, 1);"),
            bug("scales of a plan", 8, "a plan does not know the newest scales")
                    .with("catalog/SnapshotReader", "int scales = snapshot.scales();", "int scales = 1;")
                    .with(
                            "query/plan/ResolvedQuery",
                            "if (snapshot.stream().scales() < snapshot.scales()) {",
                            "if (snapshot.scales() < 1) {"),
            bug("scales of an indexer's part", 9, "an indexer answers by the scales that it happens to know")
                    .with("query/plan/QueryPlan", "snapshot.stream().scales(),", "1,"),
            bug("scales of a chunk's part", 10, "a query server answers by the scales that it happens to know")
                    .with("query/run/ChunkReads", "resolved.stream().scales(),", "1,"),
            bug("manifest's scales", 8, "the scales of tables are not read from a manifest")
                    .with("catalog/manifest/ManifestReader", "tables.put(version, table.withScales(scales));", ""));
}
