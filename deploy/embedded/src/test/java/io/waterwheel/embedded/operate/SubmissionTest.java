package io.waterwheel.embedded.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.apache.storm.StormSubmitter;
import org.apache.storm.generated.Nimbus.Iface;
import org.apache.storm.thrift.TException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is submitted: the topology jar, and DuckDB's beside it. */
class SubmissionTest {
    @TempDir
    Path home;

    private Path jar(String name, int second) throws IOException {
        Path jar = home.resolve(name);
        Files.createDirectories(jar.getParent());
        Files.writeString(jar, "");
        return Files.setLastModifiedTime(jar, FileTime.from(Instant.ofEpochSecond(1_000_000 + second)));
    }

    @Test
    void theOneThatWasBuiltWithTheProgramIsTaken() throws IOException {
        Path core = jar("embedded/lib/waterwheel-core-1.jar", 0);
        Path topology = jar("embedded/lib/waterwheel-topology-1.jar", 5);
        Path built = jar("waterwheel-topology/target/waterwheel-topology-1-topology.jar", 5);
        jar("waterwheel-topology/target/waterwheel-topology-1.jar", 5);
        assertThat(Submission.find(home, List.of(core, topology))).isEqualTo(built);
    }

    @Test
    void oneThatIsOlderThanTheProgramIsRefused() throws IOException {
        Path core = jar("embedded/lib/waterwheel-core-1.jar", 6);
        Path topology = jar("embedded/lib/waterwheel-topology-1.jar", 4);
        Path built = jar("waterwheel-topology/target/waterwheel-topology-1-topology.jar", 5);
        assertThatThrownBy(() -> Submission.find(home, List.of(topology, core)))
                .isInstanceOf(IOException.class)
                .hasMessage("the topology jar " + built + " is of 1970-01-12T13:46:45Z, older than this program's"
                        + " waterwheel-core-1.jar of 1970-01-12T13:46:46Z: workers would run other code; build it with"
                        + " 'mvn -DskipTests -pl waterwheel-topology/jar -am package', or say --jar FILE");
    }

    @Test
    void noneOrSeveralAreRefused() throws IOException {
        assertThatThrownBy(() -> Submission.find(home, List.of())).hasMessageContaining("no topology jar");
        jar("lib/waterwheel-topology-1-topology.jar", 0);
        jar("lib/waterwheel-topology-2-topology.jar", 0);
        assertThatThrownBy(() -> Submission.find(home, List.of())).hasMessageContaining("several topology jars");
    }

    @Test
    void workersGetTheDuckDbThatIsNamedOrTheProgramsOwnOrNone() throws IOException {
        Path own = jar("duckdb_jdbc-1.jar", 0);
        Path other = jar("duckdb_jdbc-2.jar", 0);
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream said = new PrintStream(err, true, StandardCharsets.UTF_8);
        assertThat(Submission.executor(null, own, said)).isEqualTo(own);
        assertThat(Submission.executor(other, own, said)).isEqualTo(other);
        assertThat(Submission.executor(Path.of("none"), own, said)).isNull();
        assertThat(Submission.executor(Path.of("none"), null, said)).isNull();
        assertThatThrownBy(() -> Submission.executor(Path.of("no.jar"), own, said))
                .hasMessage("there is no DuckDB jar no.jar");
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(Submission.executor(null, null, said)).isNull();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("this program has no DuckDB jar")
                .contains("SQL_EXECUTOR_MISSING");
    }

    /** A connection that breaks cannot take back the upload either. */
    @Test
    void anUploadThatFailsSaysWhy() throws IOException {
        Path jar = Files.writeString(jar("duckdb_jdbc-1.jar", 0), "bytes");
        Iface gone = (Iface) Proxy.newProxyInstance(
                Iface.class.getClassLoader(), new Class<?>[] {Iface.class}, (proxy, method, values) -> {
                    if (method.getName().equals("beginCreateBlob")) {
                        return "session";
                    }
                    throw new TException(method.getName());
                });
        assertThatThrownBy(() -> Nimbus.upload(gone, jar, new Silent()))
                .hasMessage("uploadBlobChunk")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("cancelBlobUpload"));
    }

    private static final class Silent implements StormSubmitter.ProgressListener {
        @Override
        public void onStart(String file, String target, long bytes) {}

        @Override
        public void onProgress(String file, String target, long sent, long bytes) {}

        @Override
        public void onCompleted(String file, String target, long bytes) {}
    }
}
