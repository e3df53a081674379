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
            .definedBy("io.waterwheel.cli")
            .layer("cli.dimensions")
            .definedBy("io.waterwheel.cli.dimensions..")
            .layer("cli.input")
            .definedBy("io.waterwheel.cli.input..")
            .layer("cli.losses")
            .definedBy("io.waterwheel.cli.losses..")
            .layer("cli.proposal")
            .definedBy("io.waterwheel.cli.proposal..")
            .layer("cli.text")
            .definedBy("io.waterwheel.cli.text..")
            .layer("cli.output")
            .definedBy("io.waterwheel.cli.output..")
            .layer("cli.shell")
            .definedBy("io.waterwheel.cli.shell..")
            .layer("client")
            .definedBy("io.waterwheel.client..")
            .layer("core questions")
            .definedBy(
                    "io.waterwheel.error..",
                    "io.waterwheel.geo..",
                    "io.waterwheel.schema..",
                    "io.waterwheel.status..",
                    "io.waterwheel.tuple..",
                    "io.waterwheel.query",
                    "io.waterwheel.query.aggregate..",
                    "io.waterwheel.query.expression..",
                    "io.waterwheel.decode..",
                    "io.waterwheel.encode..",
                    "io.waterwheel.unpack..")
            .layer("core chunk")
            .definedBy("io.waterwheel.chunk..", "io.waterwheel.store..")
            .layer("core key")
            .definedBy("io.waterwheel.key..")
            .layer("core engine")
            .definedBy(
                    "io.waterwheel.index..",
                    "io.waterwheel.catalog..",
                    "io.waterwheel.protocol..",
                    "io.waterwheel.wire..",
                    "io.waterwheel.query.admission..",
                    "io.waterwheel.query.column..",
                    "io.waterwheel.query.compile..",
                    "io.waterwheel.query.condition..",
                    "io.waterwheel.query.dispatch..",
                    "io.waterwheel.query.function..",
                    "io.waterwheel.query.memory..",
                    "io.waterwheel.query.newest..",
                    "io.waterwheel.query.plan..",
                    "io.waterwheel.query.result..",
                    "io.waterwheel.query.rows..",
                    "io.waterwheel.query.run..",
                    "io.waterwheel.query.scan..",
                    "io.waterwheel.ingest..")
            .whereLayer("cli")
            .mayOnlyAccessLayers(
                    "cli.dimensions",
                    "cli.input",
                    "cli.proposal",
                    "cli.text",
                    "cli.output",
                    "cli.shell",
                    "client",
                    "core questions",
                    "core chunk",
                    "core key")
            .whereLayer("cli.input")
            .mayOnlyAccessLayers("cli.output", "core questions", "core key")
            .whereLayer("cli.proposal")
            .mayOnlyAccessLayers("cli.input", "cli.losses", "cli.text", "cli.output", "core questions", "core key")
            .whereLayer("cli.dimensions")
            .mayOnlyAccessLayers("cli.input", "cli.text", "cli.output", "core questions", "core key")
            .whereLayer("cli.losses")
            .mayOnlyAccessLayers("core questions")
            .whereLayer("cli.shell")
            .mayOnlyAccessLayers("cli.text", "cli.output", "client", "core questions")
            .whereLayer("cli.text")
            .mayOnlyAccessLayers("core questions")
            .whereLayer("cli.output")
            .mayOnlyAccessLayers("client", "core questions");
}
