package io.waterwheel.topology;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What each package of the topology may use, of its own and of the core; anything unlisted is refused. */
@AnalyzeClasses(packages = "io.waterwheel.topology", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule arrows = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.waterwheel..")
            .ensureAllClassesAreContainedInArchitecture()
            .withOptionalLayers(true)
            .layer("config")
            .definedBy("io.waterwheel.topology.config..")
            .layer("worker")
            .definedBy("io.waterwheel.topology.worker..")
            .layer("bolt")
            .definedBy("io.waterwheel.topology.bolt..")
            .layer("spout")
            .definedBy("io.waterwheel.topology.spout..")
            .layer("kafka")
            .definedBy("io.waterwheel.topology.kafka..")
            .layer("hdfs")
            .definedBy("io.waterwheel.topology.hdfs..")
            .layer("zookeeper")
            .definedBy("io.waterwheel.topology.zookeeper..")
            .layer("rpc")
            .definedBy("io.waterwheel.topology.rpc..")
            .layer("assembly")
            .definedBy("io.waterwheel.topology.assembly..")
            // The core, in the two parts that differ in who may use them.
            .layer("core questions")
            .definedBy(
                    "io.waterwheel.model..",
                    "io.waterwheel.query",
                    "io.waterwheel.query.expression..",
                    "io.waterwheel.query.admission..",
                    "io.waterwheel.query.exec..",
                    "io.waterwheel.wire..")
            .layer("core engine")
            .definedBy(
                    "io.waterwheel.key..",
                    "io.waterwheel.decode..",
                    "io.waterwheel.index..",
                    "io.waterwheel.chunk..",
                    "io.waterwheel.catalog..",
                    "io.waterwheel.ingest..")
            .whereLayer("config")
            .mayOnlyAccessLayers("core questions", "core engine")
            .whereLayer("worker")
            .mayOnlyAccessLayers("config", "core questions", "core engine")
            .whereLayer("bolt")
            .mayOnlyAccessLayers("config", "worker", "core questions", "core engine")
            .whereLayer("spout")
            .mayOnlyAccessLayers("config", "worker", "core questions", "core engine")
            .whereLayer("kafka")
            .mayOnlyAccessLayers("config", "core questions", "core engine")
            .whereLayer("hdfs")
            .mayOnlyAccessLayers("config", "core questions", "core engine")
            .whereLayer("zookeeper")
            .mayOnlyAccessLayers("config", "core questions", "core engine")
            .whereLayer("rpc")
            .mayOnlyAccessLayers("config", "core questions");
}
