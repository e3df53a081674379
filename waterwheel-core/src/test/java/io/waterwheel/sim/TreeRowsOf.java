package io.waterwheel.sim;

import io.waterwheel.index.TemplateTree;
import io.waterwheel.model.LittleEndian;
import io.waterwheel.query.exec.ScanSpec;
import io.waterwheel.query.exec.TreeScan;
import java.util.ArrayList;
import java.util.List;

/** All rows of a tree of the simulation's schema, as {id, key, time}. */
final class TreeRowsOf {
    private TreeRowsOf() {}

    static List<long[]> rows(TemplateTree tree) {
        List<long[]> all = new ArrayList<>();
        ScanSpec everything = ScanSpec.all(tree.layout());
        TreeScan.scan(tree, everything, rows -> {
            for (int row = 0; row < rows.size(); row++) {
                all.add(new long[] {
                    LittleEndian.getLong(rows.column(0), row * 8),
                    LittleEndian.getLong(rows.column(1), row * 8),
                    LittleEndian.getLong(rows.column(2), row * 8)
                });
            }
            return true;
        });
        return all;
    }
}
