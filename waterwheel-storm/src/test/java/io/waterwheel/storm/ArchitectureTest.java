package io.waterwheel.storm;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the bolt may use: the client, and of the core the words that the client speaks. */
@AnalyzeClasses(packages = "io.waterwheel.storm", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule onlyTheClientAndItsWords = noClasses()
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages(
                    "io.waterwheel.storm",
                    "io.waterwheel.client",
                    "io.waterwheel.error",
                    "io.waterwheel.schema",
                    "org.apache.storm..",
                    "org.jspecify..",
                    "org.slf4j..",
                    "java..");
}
