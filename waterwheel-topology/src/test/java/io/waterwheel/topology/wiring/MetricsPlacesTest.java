package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.status.ServerReport;
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
        return places(directory());
    }

    private TaskDirectory directory() {
        return new TaskDirectory(new InMemoryCatalogStore(tree), "t", executor);
    }

    private MetricsPlaces places(TaskDirectory directory) {
        return new MetricsPlaces(directory, WaterwheelConfig.defaults(), clock::get);
    }

    private static List<String> of(MetricsPlaces places, String asking) {
        return of(places, gateway(asking));
    }

    private static ServerReport.Gateway gateway(String place) {
        return new ServerReport.Gateway(place, "", 0);
    }

    private static List<String> of(MetricsPlaces places, ServerReport.Gateway asking) {
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
    void everyCoordinatorKnowsVersionsAndStartsOfGateways() throws Exception {
        MetricsPlaces one = places();
        MetricsPlaces other = places();
        ServerReport.Gateway first = new ServerReport.Gateway("gate:7071", "(built from sources)", 1_000);
        ServerReport.Gateway anew = new ServerReport.Gateway("gate:7071", "0.2.0", 2_000);
        ServerReport.Gateway silent = new ServerReport.Gateway("[::1]:7071", "", 0);
        assertThat(of(one, first)).isNotEmpty();
        assertThat(of(one, silent)).isNotEmpty();
        Waiting.until("the other lists them", () -> other.gateways().equals(List.of(silent, first)));
        clock.addAndGet(TimeUnit.SECONDS.toNanos(60));
        assertThat(of(one, anew)).isNotEmpty();
        Waiting.until("it was started anew", () -> other.gateways().equals(List.of(silent, anew)));
        clock.addAndGet(TimeUnit.SECONDS.toNanos(60));
        // Nobody asks any more.
        one.endOld();
        Waiting.until("one has ended", () -> other.gateways().equals(List.of(anew)));
        // It asks the other coordinator from now on, whose node outlives the first one's.
        assertThat(of(other, anew)).isNotEmpty();
        one.close();
        assertThat(new InMemoryCatalogStore(tree).read("/live/t/gateway-gate:7071"))
                .isPresent();
    }

    /** Workers of an earlier release announce no more than the place of a gateway. */
    @Test
    void readsAnnouncementsWithoutVersionAndStart() {
        TaskDirectory directory = directory();
        directory.announce("gateway-old:7071", "old:7071");
        directory.announce("gateway-odd:7071", "odd:7071 soon 0.3.0");
        directory.announce("indexer-1", "host:1");
        MetricsPlaces places = places(directory);
        Waiting.until(
                "both are listed", () -> places.gateways().equals(List.of(gateway("odd:7071"), gateway("old:7071"))));
    }

    @Test
    void whatIsNoPlaceIsRefusedAndTheirNumberIsBounded() {
        MetricsPlaces places = places();
        for (String wrong :
                List.of("host", "a/b:1", "host:1/x", "a b:1", ":1", "host:123456", "x".repeat(300) + ":1")) {
            assertThatThrownBy(() -> places.list(gateway(wrong)))
                    .as(wrong)
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(ErrorCode.BAD_REQUEST))
                            .isTrue());
        }
        for (ServerReport.Gateway wrong : List.of(
                new ServerReport.Gateway("host:1", "a\nb", 1),
                new ServerReport.Gateway("host:1", "x".repeat(65), 1),
                new ServerReport.Gateway("host:1", "", -1),
                new ServerReport.Gateway("host:1", "", Long.MAX_VALUE))) {
            assertThatThrownBy(() -> places.list(wrong))
                    .as("%s", wrong)
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(ErrorCode.BAD_REQUEST))
                            .isTrue());
        }
        for (int i = 0; i < 70; i++) {
            places.list(gateway("host-" + i + ":1"));
        }
        Waiting.until("64 are listed", () -> of(places, "").size() == 64);
    }
}
