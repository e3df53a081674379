package io.waterwheel.metrics;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The module knows no other of Waterwheel, and others do not see whose library it uses. */
@AnalyzeClasses(packages = "io.waterwheel.metrics", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule arrows = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.waterwheel.metrics..",
                    "io.prometheus.metrics..",
                    "com.sun.net.httpserver..",
                    "java..",
                    "org.jspecify..",
                    "org.slf4j..");

    @ArchTest
    static final ArchRule facade = noMethods()
            .that()
            .arePublic()
            .should()
            .haveRawReturnType(
                    com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage("io.prometheus.."));
}
