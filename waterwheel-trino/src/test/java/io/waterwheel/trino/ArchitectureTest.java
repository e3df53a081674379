package io.waterwheel.trino;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import org.junit.jupiter.api.Test;

/** The connector asks as any client does: of the core it knows what questions are made of, and keys. */
final class ArchitectureTest {
    @Test
    void itIsAClient() {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.waterwheel.trino");
        ArchRuleDefinition.classes()
                .that()
                .resideInAPackage("io.waterwheel.trino")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.waterwheel.trino",
                        "io.waterwheel.client",
                        "io.waterwheel.client.admin",
                        "io.waterwheel.error",
                        "io.waterwheel.schema",
                        "io.waterwheel.tuple",
                        "io.waterwheel.query",
                        "io.waterwheel.query.expression",
                        "io.waterwheel.key",
                        "io.trino.spi..",
                        "io.trino.plugin.base..",
                        "io.airlift..",
                        "com.google.inject..",
                        "jakarta..",
                        "org.apache.arrow..",
                        "org.jspecify..",
                        "java..")
                .check(classes);
    }
}
