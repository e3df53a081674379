package io.waterwheel.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SubmitNoticeTest {
    private static List<String> notice(String... settings) {
        return SubmitNotice.of(WaterwheelConfig.parse("a test", "", List.of(settings)));
    }

    @Test
    void itSaysWhatWasStartedAndWhatIsNext() {
        assertThat(notice(
                        "topology.name=rain",
                        "namespace=weather",
                        "topology.workers=3",
                        "indexer.tasks=4",
                        "zookeeper.connect=zk1:2181,zk2:2181",
                        "kafka.bootstrap=broker:9092",
                        "chunk-store.uri=hdfs://namenode:8020/chunks"))
                .startsWith("submitted topology rain, namespace weather")
                .anyMatch(line -> line.matches("  workers    3, with tasks: .* 4 indexer, .*"))
                .contains(
                        "  ZooKeeper  zk1:2181,zk2:2181/waterwheel",
                        "  Kafka      broker:9092",
                        "  chunks     hdfs://namenode:8020/chunks",
                        "  waterwheel status --zookeeper zk1:2181,zk2:2181/waterwheel --namespace weather",
                        "  waterwheel stream create SCHEMA.yaml --zookeeper zk1:2181,zk2:2181/waterwheel --namespace weather")
                .last()
                .asString()
                .contains("'storm list'", "logs/workers-artifacts/rain-*");
    }

    @Test
    void anotherRootOfTheCatalogIsPartOfTheAddress() {
        assertThat(notice("zookeeper.connect=zk1:2181", "zookeeper.root=/rain"))
                .contains("  waterwheel status --zookeeper zk1:2181/rain --namespace default");
    }

    @Test
    void aTakenNameIsRefusedInASentence() {
        assertThat(SubmitNotice.taken("rain", "ACTIVE"))
                .isEqualTo("topology rain is there already, ACTIVE; drain or kill it first, or take another"
                        + " topology.name and namespace");
        assertThat(SubmitNotice.taken("rain", "KILLED"))
                .isEqualTo("topology rain is there already, KILLED; wait until it is gone");
    }
}
