package io.waterwheel;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * What each package of the core may use; anything unlisted is refused, and so is a package that is no layer. A parent
 * package whose child is a layer of its own is named without {@code ..}, or the child's classes would be in both.
 */
@AnalyzeClasses(packages = "io.waterwheel", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule arrows = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.waterwheel..")
            .ensureAllClassesAreContainedInArchitecture()
            .withOptionalLayers(true)
            .layer("model")
            .definedBy("io.waterwheel.model..")
            .layer("key")
            .definedBy("io.waterwheel.key..")
            .layer("decode")
            .definedBy("io.waterwheel.decode..")
            .layer("index")
            .definedBy("io.waterwheel.index..")
            .layer("chunk")
            .definedBy("io.waterwheel.chunk..")
            .layer("catalog")
            .definedBy("io.waterwheel.catalog..")
            .layer("query")
            .definedBy("io.waterwheel.query")
            .layer("query.expression")
            .definedBy("io.waterwheel.query.expression..")
            .layer("query.exec")
            .definedBy("io.waterwheel.query.exec")
            .layer("query.exec.column")
            .definedBy("io.waterwheel.query.exec.column..")
            .layer("query.admission")
            .definedBy("io.waterwheel.query.admission..")
            .layer("query.exec.memory")
            .definedBy("io.waterwheel.query.exec.memory..")
            .layer("wire")
            .definedBy("io.waterwheel.wire..")
            .layer("ingest")
            .definedBy("io.waterwheel.ingest..")
            .layer("local")
            .definedBy("io.waterwheel.local..")
            .whereLayer("model")
            .mayNotAccessAnyLayer()
            .whereLayer("key")
            .mayOnlyAccessLayers("model")
            .whereLayer("decode")
            .mayOnlyAccessLayers("model")
            .whereLayer("index")
            .mayOnlyAccessLayers("model", "key")
            .whereLayer("chunk")
            .mayOnlyAccessLayers("model", "key", "index")
            .whereLayer("catalog")
            .mayOnlyAccessLayers("model", "key", "chunk")
            .whereLayer("query.expression")
            .mayOnlyAccessLayers("model")
            .whereLayer("query")
            .mayOnlyAccessLayers("model", "query.expression")
            .whereLayer("wire")
            .mayOnlyAccessLayers("model", "query", "query.expression")
            .whereLayer("query.admission")
            .mayOnlyAccessLayers("model", "query", "query.expression")
            .whereLayer("query.exec.column")
            .mayOnlyAccessLayers("model", "query.expression", "query.exec.memory")
            .whereLayer("query.exec.memory")
            .mayOnlyAccessLayers("model")
            .whereLayer("query.exec")
            .mayOnlyAccessLayers(
                    "model",
                    "key",
                    "index",
                    "chunk",
                    "catalog",
                    "query",
                    "query.expression",
                    "query.admission",
                    "query.exec.column",
                    "query.exec.memory")
            .whereLayer("ingest")
            .mayOnlyAccessLayers("model", "key", "decode", "index", "chunk", "catalog")
            .whereLayer("local")
            .mayOnlyAccessLayers("model", "key", "index", "chunk", "catalog", "query", "query.exec");
}
