package io.waterwheel.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the client may use, of its own, of the core and of others; anything unlisted is refused. */
@AnalyzeClasses(packages = "io.waterwheel.client", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule arrows = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.waterwheel..")
            .ensureAllClassesAreContainedInArchitecture()
            .withOptionalLayers(true)
            .layer("client")
            .definedBy("io.waterwheel.client")
            .layer("client.admin")
            .definedBy("io.waterwheel.client.admin")
            .layer("client.kafka")
            .definedBy("io.waterwheel.client.kafka")
            .layer("client.tail")
            .definedBy("io.waterwheel.client.tail")
            .layer("core tail")
            .definedBy("io.waterwheel.query.tail")
            .layer("core questions")
            .definedBy(
                    "io.waterwheel.error..",
                    "io.waterwheel.geo..",
                    "io.waterwheel.schema..",
                    "io.waterwheel.tuple..",
                    "io.waterwheel.query",
                    "io.waterwheel.query.aggregate..",
                    "io.waterwheel.query.expression..",
                    "io.waterwheel.decode..",
                    "io.waterwheel.encode..",
                    "io.waterwheel.wire..")
            .layer("core engine")
            .definedBy(
                    "io.waterwheel.key..",
                    "io.waterwheel.index..",
                    "io.waterwheel.chunk..",
                    "io.waterwheel.catalog..",
                    "io.waterwheel.protocol..",
                    "io.waterwheel.store..",
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
            .whereLayer("client")
            .mayOnlyAccessLayers("client.admin", "client.kafka", "client.tail", "core questions")
            .whereLayer("client.tail")
            .mayOnlyAccessLayers("client.admin", "client.kafka", "core tail", "core questions")
            .whereLayer("client.kafka")
            .mayOnlyAccessLayers("client.admin", "core questions")
            .whereLayer("client.admin")
            .mayOnlyAccessLayers("core questions");

    /** A program that only asks needs no Kafka on the class path. */
    @ArchTest
    static final ArchRule onlyAppendingNeedsKafka = noClasses()
            .that()
            .haveNameNotMatching(
                    ".*\\.(AppendJournal|DeadLetterReader|ProgressTopic|RecordSender|Topic(Consumer|Reader|Sampler))(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.kafka..");

    /** Nor, when it knows a coordinator, ZooKeeper. */
    @ArchTest
    static final ArchRule onlyDiscoveryNeedsZooKeeper = noClasses()
            .that()
            .haveNameNotMatching(".*\\.ZooKeeperAddresses(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.zookeeper..");
}
