package io.waterwheel.topology.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.TableCatalog;
import io.waterwheel.catalog.state.FileTable;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.FieldType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files may be tables, and what the catalog keeps of them. */
final class FileTablesTest {
    @TempDir
    Path root;

    private final InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final TableCatalog catalog = new TableCatalog(store);

    private FileTables tables(String folder) {
        return new FileTables(catalog, new KnownEntries<>(store, catalog), folder, 100);
    }

    private static void refused(FileTables tables, String file, String why) {
        assertThatThrownBy(() -> tables.require(List.of(file)))
                .as(file)
                .hasMessageContaining(why)
                .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(ErrorCode.BAD_REQUEST))
                        .isTrue());
    }

    @Test
    void noPathLeadsOutOfTheFolder() throws Exception {
        Path folder =
                Files.createDirectories(root.resolve("tables").resolve("inner")).getParent();
        Files.writeString(root.resolve("secret.csv"), "a");
        Files.writeString(folder.resolve("a.csv"), "a");
        Files.writeString(folder.resolve("inner").resolve("b.PARQUET"), "a");
        Files.writeString(folder.resolve("large.csv"), "a".repeat(101));
        Files.writeString(folder.resolve("notes.txt"), "a");
        Files.createSymbolicLink(folder.resolve("link.csv"), root.resolve("secret.csv"));
        Files.createSymbolicLink(folder.resolve("up"), root);
        FileTables tables = tables(folder.toString());
        tables.require(List.of("a.csv", "inner/b.PARQUET"));
        refused(tables, "inner/../a.csv", "expected a path within the folder");
        refused(tables, "up/../a.csv", "expected a path within the folder");
        refused(tables, "./a.csv", "expected a path within the folder");
        refused(tables, "../secret.csv", "expected a path within the folder");
        refused(tables, "inner/../../secret.csv", "expected a path within the folder");
        refused(tables, root.resolve("secret.csv").toString(), "expected a path within the folder");
        refused(tables, folder.resolve("a.csv").toString(), "expected a path within the folder");
        refused(tables, "*.csv", "expected a path within the folder");
        refused(tables, "link.csv", "expected no links");
        refused(tables, "up/secret.csv", "expected no links");
        refused(tables, "inner", "expected a name that ends with");
        refused(tables, "notes.txt", "expected a name that ends with");
        refused(tables, "missing.csv", "there is no such file");
        refused(tables, "large.csv", "it has 101 bytes, expected at most 100 (sql.table-size)");
        refused(tables("none"), "a.csv", "set sql.tables");
    }

    @Test
    void rowsHaveAValueForEachName() throws Exception {
        String wrong = "k,n\n1,a\n2\n3,c,d\n";
        Path plain = Files.writeString(root.resolve("wrong.CSV"), wrong);
        Path packed = root.resolve("wrong.csv.gz");
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
            out.write(wrong.getBytes(StandardCharsets.UTF_8));
        }
        for (Path file : List.of(plain, packed)) {
            String name = String.valueOf(file.getFileName());
            assertThatThrownBy(() -> FileTables.requireRows(name, file, () -> false))
                    .hasMessage(
                            "statement: file '" + name + "': line 3 has 1 value, expected 2 as in the line of names")
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(ErrorCode.SQL_VALUE))
                            .isTrue());
        }
        FileTables.requireRows("right.csv", Files.writeString(root.resolve("right.csv"), "k,n\n1,a\n"), () -> false);
        FileTables.requireRows("other.parquet", plain, () -> false);
        assertThatThrownBy(() -> FileTables.requireRows("no.csv.gz", plain, () -> false))
                .hasMessageContaining("file 'no.csv.gz' cannot be read");
    }

    @Test
    void theCatalogKeepsTables() {
        FileTable table = new FileTable(
                "areas",
                "areas.csv",
                List.of(
                        new FileTable.Column("a_b", "a b", FieldType.STRING),
                        new FileTable.Column("n", "n", FieldType.LONG)));
        catalog.create(table, false);
        assertThat(new TableCatalog(store).read()).containsOnly(java.util.Map.entry("areas", table));
        assertThatThrownBy(() -> catalog.create(table, false)).hasMessageContaining("table areas exists already");
        catalog.create(table, true);
        FileTables tables = tables(root.toString());
        assertThat(tables.all()).hasSize(1);
        assertThat(tables.all().get(0).qualifiedName()).isEqualTo("public.areas");
        assertThat(String.valueOf(tables.all().get(0).file())).contains("CAST(\"a b\" AS VARCHAR) AS c0");
        assertThat(catalog.drop("areas")).isTrue();
        assertThat(catalog.drop("areas")).isFalse();
    }
}
