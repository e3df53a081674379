package io.waterwheel;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import io.waterwheel.docs.ProjectFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What each package of the core may use. Anything unlisted is refused, and so is a package without a line. A package
 * uses only those above it, so there is no cycle.
 */
@AnalyzeClasses(packages = "io.waterwheel", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    record Room(String name, List<String> mayUse) {
        Room(String name, String... mayUse) {
            this(name, List.of(mayUse));
        }
    }

    static final List<Room> ROOMS = List.of(
            new Room("error"),
            new Room("geo"),
            new Room("status"),
            new Room("unpack"),
            new Room("schema.text"),
            new Room("schema", "error", "geo", "schema.text"),
            new Room("tuple", "schema"),
            new Room("catalog.region", "tuple"),
            new Room("catalog.state", "error", "schema", "tuple", "catalog.region"),
            new Room("store", "error"),
            new Room("catalog.manifest", "error", "schema", "tuple", "catalog.state", "store"),
            new Room("catalog.store", "error"),
            new Room("key.curve", "tuple"),
            new Room("key", "geo", "schema", "schema.text", "tuple", "key.curve"),
            new Room("key.sample", "schema", "tuple", "key"),
            new Room(
                    "catalog",
                    "error",
                    "schema",
                    "tuple",
                    "catalog.state",
                    "store",
                    "catalog.manifest",
                    "catalog.store",
                    "key"),
            new Room("index", "schema", "tuple"),
            new Room("chunk.encoding", "error", "schema", "tuple", "key", "index"),
            new Room("chunk", "geo", "schema", "tuple", "store", "key", "index", "chunk.encoding"),
            new Room(
                    "catalog.maintenance",
                    "error",
                    "schema",
                    "tuple",
                    "catalog.state",
                    "store",
                    "catalog.manifest",
                    "catalog.store",
                    "catalog",
                    "index",
                    "chunk.encoding",
                    "chunk"),
            new Room("decode.typed", "error", "schema", "schema.text"),
            new Room("decode.avro", "schema", "tuple", "decode.typed"),
            new Room("decode.protobuf", "schema", "tuple", "decode.typed"),
            new Room("decode.registry", "error", "decode.typed", "unpack"),
            new Room(
                    "decode",
                    "error",
                    "schema",
                    "schema.text",
                    "tuple",
                    "decode.typed",
                    "decode.avro",
                    "decode.protobuf"),
            new Room("encode", "schema", "schema.text", "tuple", "decode"),
            new Room("protocol", "tuple"),
            new Room("ingest.balance", "catalog.state", "protocol"),
            new Room("ingest.block", "schema", "tuple", "protocol"),
            new Room("ingest.source", "error", "schema.text", "catalog.state", "catalog", "decode", "protocol"),
            new Room(
                    "ingest.dispatch",
                    "schema",
                    "schema.text",
                    "tuple",
                    "catalog.state",
                    "key",
                    "decode.typed",
                    "decode",
                    "protocol",
                    "ingest.block",
                    "ingest.source"),
            new Room(
                    "ingest.indexer",
                    "error",
                    "schema",
                    "tuple",
                    "catalog.state",
                    "store",
                    "catalog",
                    "index",
                    "chunk",
                    "protocol",
                    "ingest.block"),
            new Room("query.expression", "error", "geo", "schema", "schema.text", "key"),
            new Room("query.memory", "error"),
            new Room("query.column", "schema", "tuple", "query.expression", "query.memory"),
            new Room("query.condition", "geo", "schema", "tuple", "key", "query.expression", "query.column"),
            new Room(
                    "query.function",
                    "error",
                    "geo",
                    "schema",
                    "schema.text",
                    "tuple",
                    "query.expression",
                    "query.column"),
            new Room(
                    "query.compile",
                    "error",
                    "schema",
                    "schema.text",
                    "key",
                    "query.expression",
                    "query.column",
                    "query.condition",
                    "query.function"),
            new Room(
                    "query.aggregate.state",
                    "error",
                    "schema",
                    "schema.text",
                    "tuple",
                    "query.expression",
                    "query.column"),
            new Room(
                    "query.aggregate",
                    "error",
                    "schema",
                    "tuple",
                    "query.expression",
                    "query.column",
                    "query.aggregate.state"),
            new Room("query", "error", "geo", "schema", "tuple", "query.expression", "query.aggregate"),
            new Room(
                    "query.rows",
                    "error",
                    "schema",
                    "tuple",
                    "query.expression",
                    "query",
                    "query.memory",
                    "query.column",
                    "query.aggregate.state"),
            new Room("query.newest", "error", "schema", "tuple", "query", "query.memory", "query.column", "query.rows"),
            new Room(
                    "query.result",
                    "error",
                    "schema",
                    "tuple",
                    "query.expression",
                    "query",
                    "query.memory",
                    "query.column",
                    "query.compile",
                    "query.aggregate.state",
                    "query.aggregate",
                    "query.rows",
                    "query.newest"),
            new Room(
                    "query.scan",
                    "error",
                    "schema",
                    "tuple",
                    "store",
                    "key",
                    "index",
                    "chunk",
                    "query.expression",
                    "query",
                    "query.memory",
                    "query.column",
                    "query.condition",
                    "query.compile",
                    "query.aggregate.state",
                    "query.rows",
                    "query.result"),
            new Room(
                    "query.plan",
                    "error",
                    "geo",
                    "schema",
                    "schema.text",
                    "tuple",
                    "catalog.state",
                    "key",
                    "catalog",
                    "protocol",
                    "query.expression",
                    "query",
                    "query.memory",
                    "query.column",
                    "query.condition",
                    "query.compile",
                    "query.rows",
                    "query.result",
                    "query.scan"),
            new Room(
                    "query.tail",
                    "error",
                    "schema",
                    "tuple",
                    "key",
                    "decode.typed",
                    "decode",
                    "query.expression",
                    "query.column",
                    "query.compile",
                    "query.rows"),
            new Room("query.admission", "error", "geo", "tuple", "query.expression", "query"),
            new Room("query.dispatch", "tuple", "catalog.state"),
            new Room(
                    "query.run",
                    "error",
                    "geo",
                    "schema",
                    "tuple",
                    "catalog.state",
                    "protocol",
                    "query.expression",
                    "query",
                    "query.memory",
                    "query.column",
                    "query.rows",
                    "query.result",
                    "query.scan",
                    "query.plan",
                    "query.admission",
                    "query.dispatch"),
            new Room(
                    "local",
                    "error",
                    "schema",
                    "tuple",
                    "catalog.state",
                    "store",
                    "key",
                    "catalog",
                    "index",
                    "chunk",
                    "query",
                    "query.rows",
                    "query.result",
                    "query.scan",
                    "query.plan",
                    "query.run"),
            new Room(
                    "wire",
                    "error",
                    "geo",
                    "schema",
                    "tuple",
                    "protocol",
                    "query.expression",
                    "query.aggregate",
                    "query"));

    @ArchTest
    static final ArchRule arrows = arrows();

    /** Most files of a package, {@code package-info.java} included: one that has more is divided by task. */
    private static final int MOST_FILES = 26;

    /** Of all modules. */
    @Test
    void noPackageIsTooLargeToTakeIn() throws IOException {
        Map<Path, Long> packages =
                ProjectFiles.all(name -> name.contains("/src/main/java/") && name.endsWith(".java")).stream()
                        .collect(Collectors.groupingBy(Path::getParent, TreeMap::new, Collectors.counting()));
        assertThat(packages).hasSizeGreaterThan(40);
        assertThat(packages)
                .allSatisfy((folder, files) ->
                        assertThat(files).as(folder.toString()).isLessThanOrEqualTo(MOST_FILES));
    }

    private static ArchRule arrows() {
        LayeredArchitecture layers = layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("io.waterwheel..")
                .ensureAllClassesAreContainedInArchitecture();
        for (Room room : ROOMS) {
            // The generated messages belong to wire.
            String classes = "io.waterwheel." + room.name() + (room.name().equals("wire") ? ".." : "");
            layers = layers.layer(room.name()).definedBy(classes);
        }
        for (Room room : ROOMS) {
            layers = room.mayUse().isEmpty()
                    ? layers.whereLayer(room.name()).mayNotAccessAnyLayer()
                    : layers.whereLayer(room.name())
                            .mayOnlyAccessLayers(room.mayUse().toArray(String[]::new));
        }
        return layers;
    }
}
