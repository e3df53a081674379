package io.waterwheel.embedded;

import io.waterwheel.catalog.CatalogStore;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.kafka.KafkaTopics;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A server to be killed: starts on the folder of its argument, adds one record and one node to what it finds, says what
 * there is now, and waits for its end.
 */
final class ServerProcess {
    private ServerProcess() {}

    @SuppressWarnings("SystemOut") // the test reads it
    public static void main(String[] args) throws Exception {
        long begin = System.nanoTime();
        WaterwheelServer server =
                WaterwheelServer.start(Path.of(args[0]), WaterwheelConfig.defaults(), Set.of(), CountingTopology::make);
        long startMillis = (System.nanoTime() - begin) / 1_000_000;
        String bootstrap = server.config().get(Keys.KAFKA_BOOTSTRAP);
        try (KafkaTopics topics = new KafkaTopics(bootstrap);
                CatalogStore store = ZooKeeperCatalogStore.connect(server.config());
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            KafkaTopics.Topic topic = topics.ensure("t", 1);
            producer.send(new ProducerRecord<>("t", new byte[10])).get(60, TimeUnit.SECONDS);
            store.ensure("/rounds");
            int round = store.children("/rounds").size();
            store.commit(List.of(new CatalogStore.Op.Create("/rounds/" + round, new byte[0])));
            while (CountingTopology.SEEN.get() < 10) {
                Thread.onSpinWait();
            }
            System.out.println("READY records=" + topics.endOffsets(topic)[0] + " nodes=" + (round + 1) + " at="
                    + bootstrap + " start=" + startMillis + " first-tuple="
                    + (System.nanoTime() - begin) / 1_000_000);
        }
        Thread.currentThread().join();
    }
}
