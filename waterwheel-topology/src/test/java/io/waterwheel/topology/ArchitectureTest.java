package io.waterwheel.topology;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
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
            .layer("task")
            .definedBy("io.waterwheel.topology.task..")
            .layer("storm")
            .definedBy("io.waterwheel.topology.storm..")
            .layer("process")
            .definedBy("io.waterwheel.topology.process..")
            .layer("message")
            .definedBy("io.waterwheel.topology.message..")
            .layer("dispatcher")
            .definedBy("io.waterwheel.topology.dispatcher..")
            .layer("indexer")
            .definedBy("io.waterwheel.topology.indexer..")
            .layer("coordinator")
            .definedBy("io.waterwheel.topology.coordinator..")
            .layer("queryserver")
            .definedBy("io.waterwheel.topology.queryserver..")
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
            .layer("admin")
            .definedBy("io.waterwheel.topology.admin..")
            .layer("sql")
            .definedBy("io.waterwheel.topology.sql..")
            .layer("flightsql")
            .definedBy("io.waterwheel.topology.flightsql..")
            .layer("warmup")
            .definedBy("io.waterwheel.topology.warmup..")
            .layer("wiring")
            .definedBy("io.waterwheel.topology.wiring..")
            .layer("topology")
            .definedBy("io.waterwheel.topology")
            // The core, in the two parts that differ in who may use them.
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
                    "io.waterwheel.protocol..",
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
                    "io.waterwheel.wire..")
            .layer("core engine")
            .definedBy(
                    "io.waterwheel.key..",
                    "io.waterwheel.decode..",
                    "io.waterwheel.encode..",
                    "io.waterwheel.index..",
                    "io.waterwheel.store..",
                    "io.waterwheel.chunk..",
                    "io.waterwheel.catalog..",
                    "io.waterwheel.ingest..")
            .layer("metrics")
            .definedBy("io.waterwheel.metrics..")
            .layer("sql planner")
            .definedBy("io.waterwheel.sql..")
            // The engine on a folder, which only the warm-up uses.
            .layer("core local")
            .definedBy("io.waterwheel.local..")
            .whereLayer("config")
            .mayOnlyAccessLayers("core questions", "core engine")
            .whereLayer("worker")
            .mayOnlyAccessLayers("config", "core questions", "core engine", "metrics")
            .whereLayer("task")
            .mayOnlyAccessLayers("config", "worker")
            // The two hosts of tasks: neither knows a task.
            .whereLayer("storm")
            .mayOnlyAccessLayers("config", "worker", "task")
            .whereLayer("process")
            .mayOnlyAccessLayers("config", "worker", "task")
            .whereLayer("message")
            .mayOnlyAccessLayers("core questions", "core engine")
            .whereLayer("dispatcher")
            .mayOnlyAccessLayers("config", "worker", "task", "message", "core questions", "core engine", "metrics")
            .whereLayer("indexer")
            .mayOnlyAccessLayers("config", "worker", "task", "message", "core questions", "core engine", "metrics")
            .whereLayer("coordinator")
            .mayOnlyAccessLayers("config", "worker", "task", "core questions", "core engine", "metrics")
            .whereLayer("queryserver")
            .mayOnlyAccessLayers("worker", "task")
            .whereLayer("spout")
            .mayOnlyAccessLayers("config", "worker", "task", "core questions", "core engine", "metrics")
            .whereLayer("kafka")
            .mayOnlyAccessLayers("config", "core questions", "core engine")
            .whereLayer("hdfs")
            .mayOnlyAccessLayers("config", "core questions", "core engine")
            .whereLayer("zookeeper")
            .mayOnlyAccessLayers("config", "core questions", "core engine")
            .whereLayer("rpc")
            .mayOnlyAccessLayers("config", "core questions", "core engine")
            .whereLayer("admin")
            .mayOnlyAccessLayers("config", "worker", "kafka", "rpc", "core questions", "core engine")
            .whereLayer("sql")
            .mayOnlyAccessLayers("config", "worker", "rpc", "core questions", "core engine", "sql planner", "metrics")
            .whereLayer("flightsql")
            .mayOnlyAccessLayers("rpc", "sql", "core questions", "sql planner")
            .whereLayer("warmup")
            .mayOnlyAccessLayers("rpc", "core questions", "core engine", "core local")
            .whereLayer("wiring")
            .mayOnlyAccessLayers(
                    "config",
                    "worker",
                    "kafka",
                    "hdfs",
                    "zookeeper",
                    "rpc",
                    "admin",
                    "sql",
                    "flightsql",
                    "warmup",
                    "metrics",
                    "core questions",
                    "core engine");

    /** Storm is one of two hosts, and the other's process loads nothing of it. */
    @ArchTest
    static final ArchRule storm = noClasses()
            .that()
            .resideOutsideOfPackages(
                    // The shells, and what is submitted.
                    "io.waterwheel.topology.storm..",
                    "io.waterwheel.topology",
                    // The section storm, and the host that a Supervisor's storm.yaml names: loaded where they are used.
                    "io.waterwheel.topology.config..",
                    "io.waterwheel.topology.wiring..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.storm..");

    @ArchTest
    static final ArchRule tasks = noClasses()
            .that()
            .haveFullyQualifiedName("io.waterwheel.topology.Tasks")
            .or()
            .haveSimpleName("WorkerRuntime")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.storm..");
}
