package io.waterwheel.topology.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The generated files are what the declarations say. Tests run in the module's folder, below the repository's root. */
final class ConfigDocsTest {
    private static final String COMMAND = "mvn -pl waterwheel-topology -am test -Dtest=ConfigDocsTest"
            + " -Dsurefire.failIfNoSpecifiedTests=false -Dwaterwheel.regenerate=true";

    @ParameterizedTest
    @CsvSource({"conf/waterwheel.yaml", "docs/configuration.md"})
    void committedFileIsUpToDate(String name) throws IOException {
        String expected = name.endsWith(".yaml") ? ConfigDocs.yaml() : ConfigDocs.markdown();
        Path file = Path.of("..").resolve(name);
        if (Boolean.getBoolean("waterwheel.regenerate")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, expected);
        }
        assertThat(file)
                .as("%s is generated; write it again with: %s", name, COMMAND)
                .hasContent(expected);
    }

    @Test
    void generatedFileIsTheDefaults() {
        assertThat(WaterwheelConfig.parse("waterwheel.yaml", ConfigDocs.yaml(), List.of())
                        .toMap())
                .isEqualTo(WaterwheelConfig.defaults().toMap());
    }
}
