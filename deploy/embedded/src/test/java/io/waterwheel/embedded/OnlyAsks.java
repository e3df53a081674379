package io.waterwheel.embedded;

import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.NamedAppender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.WaterwheelException;

/** A program that asks a server, on a class path without what only appending takes: {@code OnlyAsks URL}. */
@SuppressWarnings("SystemOut") // a program
final class OnlyAsks {
    private OnlyAsks() {}

    public static void main(String[] args) {
        for (String name : new String[] {
            "org.apache.kafka.clients.producer.KafkaProducer", "org.apache.zookeeper.ZooKeeper", "picocli.CommandLine"
        }) {
            try {
                System.out.println("there is " + Class.forName(name).getName());
            } catch (ClassNotFoundException e) {
                System.out.println("no " + name);
            }
        }
        try (WaterwheelClient client = WaterwheelClient.connect(args[0])) {
            System.out.println("flights: " + client.query("flights").count());
            says("append", () -> client.appender("flights"));
            StreamDetails flights = client.describe("flights");
            says("open", () -> Appender.open(flights, AppenderSettings.DEFAULT).close());
            says("open a name", () -> NamedAppender.open(flights, AppenderSettings.DEFAULT, "asks")
                    .close());
            says("dead letters", () -> client.deadLetters("flights", 1, letter -> {}));
            says("discover", () -> WaterwheelClient.discover("127.0.0.1:2181", "default"));
        }
    }

    private static void says(String what, Runnable call) {
        try {
            call.run();
            System.out.println(what + ": done");
        } catch (WaterwheelException e) {
            System.out.println(what + ": " + e.code() + ": " + e.getMessage());
        }
    }
}
