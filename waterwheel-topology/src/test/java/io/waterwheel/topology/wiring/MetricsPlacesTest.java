package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.wire.proto.MetricsPlace;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class MetricsPlacesTest {
    private final InMemoryCatalogStore.Tree tree = new InMemoryCatalogStore.Tree();
    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(1);
    private final AtomicLong clock = new AtomicLong();

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    private MetricsPlaces places() {
        TaskDirectory directory = new TaskDirectory(new InMemoryCatalogStore(tree), "t", executor);
        return new MetricsPlaces(directory, WaterwheelConfig.defaults(), clock::get);
    }

    private static List<String> of(MetricsPlaces places, String asking) {
        return places.list(asking).getPlacesList().stream()
                .map(MetricsPlacesTest::text)
                .toList();
    }

    private static String text(MetricsPlace place) {
        return place.getRole() + " " + place.getPlace();
    }

    @Test
    void everyCoordinatorListsAllWorkersAndGatewaysThatGoOnAsking() throws Exception {
        MetricsPlaces one = places();
        MetricsPlaces other = places();
        AutoCloseable worker = one.announceWorker("host-1:9100");
        assertThat(of(one, "gate:7071")).contains("gateway gate:7071");
        Waiting.until(
                "the other knows", () -> of(other, "").equals(List.of("gateway gate:7071", "worker host-1:9100")));
        clock.addAndGet(TimeUnit.SECONDS.toNanos(60));
        assertThat(of(one, "gate:7071")).hasSize(2);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(60));
        assertThat(of(one, "[::1]:7071")).hasSize(3);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(60));
        Waiting.until("it is forgotten", () -> of(one, "").equals(List.of("gateway [::1]:7071", "worker host-1:9100")));
        worker.close();
        one.close();
        Waiting.until("all are gone", () -> of(other, "").isEmpty());
    }

    @Test
    void whatIsNoPlaceIsRefusedAndTheirNumberIsBounded() {
        MetricsPlaces places = places();
        for (String wrong :
                List.of("host", "a/b:1", "host:1/x", "a b:1", ":1", "host:123456", "x".repeat(300) + ":1")) {
            assertThatThrownBy(() -> places.list(wrong))
                    .as(wrong)
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(ErrorCode.BAD_REQUEST))
                            .isTrue());
        }
        for (int i = 0; i < 70; i++) {
            places.list("host-" + i + ":1");
        }
        Waiting.until("64 are listed", () -> of(places, "").size() == 64);
    }
}
