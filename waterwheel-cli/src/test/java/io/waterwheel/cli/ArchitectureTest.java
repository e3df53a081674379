package io.waterwheel.cli;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the command line may use of the client and of the core; anything unlisted is refused. */
@AnalyzeClasses(packages = "io.waterwheel.cli", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule arrows = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.waterwheel..")
            .ensureAllClassesAreContainedInArchitecture()
            .withOptionalLayers(true)
            .layer("cli")
            .definedBy("io.waterwheel.cli..")
            .layer("client")
            .definedBy("io.waterwheel.client")
            .layer("core questions")
            .definedBy(
                    "io.waterwheel.model..",
                    "io.waterwheel.query",
                    "io.waterwheel.query.expression..",
                    "io.waterwheel.decode..",
                    "io.waterwheel.wire..")
            .layer("core chunk")
            .definedBy("io.waterwheel.chunk..")
            .layer("core key")
            .definedBy("io.waterwheel.key..")
            .layer("core engine")
            .definedBy(
                    "io.waterwheel.index..",
                    "io.waterwheel.catalog..",
                    "io.waterwheel.query.admission..",
                    "io.waterwheel.query.exec..",
                    "io.waterwheel.ingest..")
            .whereLayer("cli")
            .mayOnlyAccessLayers("client", "core questions", "core chunk", "core key");
}
