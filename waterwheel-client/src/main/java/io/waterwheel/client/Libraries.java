package io.waterwheel.client;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;

/** Libraries that only a part of the client needs: a program that does without that part does without them. */
final class Libraries {
    private Libraries() {}

    /** Kafka's clients, for what the message calls by this name. */
    static void requireKafka(String what) {
        require("org.apache.kafka.clients.consumer.KafkaConsumer", "org.apache.kafka:kafka-clients", what);
    }

    /** ZooKeeper's client, to look up coordinators. */
    static void requireZooKeeper() {
        require(
                "org.apache.zookeeper.ZooKeeper",
                "org.apache.zookeeper:zookeeper",
                "to find coordinators by ZooKeeper (a grpc://HOST:PORT of one needs none)");
    }

    private static void require(String name, String artifact, String what) {
        try {
            Class.forName(name, false, Libraries.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new WaterwheelException(
                    ErrorCode.LIBRARY_MISSING,
                    what + ", waterwheel-client needs " + artifact + ", and it is not on the class path: add it there",
                    e);
        }
    }
}
