package io.waterwheel.sql;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What each package may use, of its own, of the core and of others; anything unlisted is refused. */
@AnalyzeClasses(packages = "io.waterwheel.sql", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule arrows = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.waterwheel..")
            .ensureAllClassesAreContainedInArchitecture()
            .withOptionalLayers(true)
            .layer("sql")
            .definedBy("io.waterwheel.sql")
            .layer("sql.plan")
            .definedBy("io.waterwheel.sql.plan")
            .layer("sql.parse")
            .definedBy("io.waterwheel.sql.parse")
            .layer("sql.leaf")
            .definedBy("io.waterwheel.sql.leaf")
            .layer("sql.residual")
            .definedBy("io.waterwheel.sql.residual")
            .layer("sql.exec")
            .definedBy("io.waterwheel.sql.exec")
            .layer("sql.duckdb")
            .definedBy("io.waterwheel.sql.duckdb")
            .layer("sql.change")
            .definedBy("io.waterwheel.sql.change")
            .layer("sql.cache")
            .definedBy("io.waterwheel.sql.cache")
            .layer("core questions")
            .definedBy(
                    "io.waterwheel.error..",
                    "io.waterwheel.geo..",
                    "io.waterwheel.schema..",
                    "io.waterwheel.query",
                    "io.waterwheel.query.aggregate",
                    "io.waterwheel.query.expression..")
            // Which fields an answer has, and whether a query is one of its stream.
            .layer("core planning")
            .definedBy("io.waterwheel.query.plan..", "io.waterwheel.catalog.state..")
            // Rows between the engine and the executor.
            .layer("core rows")
            .definedBy("io.waterwheel.tuple..", "io.waterwheel.decode..")
            // Functions of the engine among what DuckDB computes: its process asks the same code.
            .layer("core evaluation")
            .definedBy("io.waterwheel.query.column..", "io.waterwheel.query.compile..")
            // What lies in a shape: of joined columns DuckDB's process asks the same code.
            .layer("core geometry")
            .definedBy("io.waterwheel.key..")
            .layer("core engine")
            .definedBy(
                    "io.waterwheel.index..",
                    "io.waterwheel.chunk..",
                    "io.waterwheel.protocol..",
                    "io.waterwheel.store..",
                    "io.waterwheel.status..",
                    "io.waterwheel.wire..",
                    "io.waterwheel.local..",
                    "io.waterwheel.ingest..")
            // The two know each other: the facade is what others see of the planner.
            .whereLayer("sql")
            .mayOnlyAccessLayers("sql.plan", "core questions")
            .whereLayer("sql.plan")
            .mayOnlyAccessLayers("sql", "sql.cache", "sql.parse", "sql.leaf", "sql.residual", "core questions")
            .whereLayer("sql.parse")
            .mayOnlyAccessLayers("sql.leaf", "core questions")
            .whereLayer("sql.change")
            .mayOnlyAccessLayers("core questions")
            .whereLayer("sql.cache")
            .mayOnlyAccessLayers("sql", "core questions")
            .whereLayer("sql.leaf")
            .mayOnlyAccessLayers("sql.cache", "core questions", "core planning")
            .whereLayer("sql.residual")
            .mayOnlyAccessLayers("sql", "sql.leaf", "core questions", "core geometry")
            .whereLayer("sql.exec")
            .mayOnlyAccessLayers("sql", "core questions", "core rows")
            .whereLayer("sql.duckdb")
            .mayOnlyAccessLayers("sql", "sql.exec", "core questions", "core rows", "core geometry", "core evaluation");

    /** No type of the library leaves the module. */
    @ArchTest
    static final ArchRule facade = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.waterwheel.sql",
                    "io.waterwheel.sql.change",
                    "io.waterwheel.sql.exec",
                    "io.waterwheel.sql.duckdb")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.calcite..");
}
