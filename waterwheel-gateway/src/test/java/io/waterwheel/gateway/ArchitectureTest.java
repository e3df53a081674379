package io.waterwheel.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the gateway may use of the client, the command line and the core; anything unlisted is refused. */
@AnalyzeClasses(packages = "io.waterwheel.gateway", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule arrows = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.waterwheel.gateway..",
                    "io.waterwheel.client..",
                    "io.waterwheel.cli",
                    "io.waterwheel.cli.input",
                    "io.waterwheel.cli.output",
                    "io.waterwheel.error..",
                    "io.waterwheel.metrics..",
                    "io.waterwheel.schema..",
                    "io.waterwheel.tuple..",
                    "io.waterwheel.status",
                    "io.waterwheel.query",
                    "io.waterwheel.query.aggregate..",
                    "io.waterwheel.query.expression",
                    "io.waterwheel.decode..",
                    "io.waterwheel.encode..",
                    "io.waterwheel.unpack..",
                    "io.waterwheel.key..",
                    "io.waterwheel.wire..",
                    "java..",
                    "com.fasterxml.jackson.core..",
                    "com.github.luben.zstd..",
                    "com.google.flatbuffers..",
                    "com.google.protobuf..",
                    "org.apache.arrow..",
                    "org.apache.parquet.format",
                    "org.eclipse.jetty..",
                    "org.jspecify..",
                    "org.slf4j..");
}
