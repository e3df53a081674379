package io.waterwheel.topology.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.wire.WireQueries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class PeerClientTest {
    /** Answers with as many messages as the request's first byte says, or fails, or goes on for ever. */
    private static final PeerSecret SECRET = new PeerSecret(PeerSecret.random());

    private static final class Peer implements PeerHandler {
        final Queue<String> controls = new ConcurrentLinkedQueue<>();
        final AtomicInteger sent = new AtomicInteger();
        final AtomicReference<Exception> end = new AtomicReference<>();

        @Override
        public void control(String target, byte[] message) {
            controls.add(target + ":" + message.length);
        }

        @Override
        public void subquery(byte[] request, MessageSink sink) throws InterruptedException {
            try {
                int count = request[0];
                for (int i = 0; count < 0 || i < count; i++) {
                    byte[] message = new byte[request.length == 1 ? i + 1 : 1 << 20];
                    new Random(i).nextBytes(message);
                    sink.send(message);
                    sent.incrementAndGet();
                }
                if (count == 0) {
                    throw new WaterwheelException(ErrorCode.STREAM_UNKNOWN_HERE, "not here");
                }
            } catch (RuntimeException | InterruptedException e) {
                end.set(e);
                throw e;
            }
        }
    }

    @Test
    void subqueriesStreamTheirMessages() throws Exception {
        Peer peer = new Peer();
        try (RpcServer server = start(RpcSettings.DEFAULT, peer)) {
            try (PeerClient client = new PeerClient(server.allocator(), "127.0.0.1", server.port(), SECRET)) {
                try (MessageStream small = client.subquery(new byte[] {100}, Duration.ofSeconds(10));
                        MessageStream large = client.subquery(new byte[] {25, 1}, Duration.ofSeconds(10))) {
                    for (int i = 0; i < 100; i++) {
                        byte[] expected = new byte[i + 1];
                        new Random(i).nextBytes(expected);
                        assertThat(small.next()).isEqualTo(expected);
                    }
                    assertThat(small.next()).isNull();
                    for (int i = 0; i < 25; i++) {
                        assertThat(large.next()).hasSize(1 << 20);
                    }
                    assertThat(large.next()).isNull();
                    assertThat(large.next()).isNull();
                }
                assertThatThrownBy(() -> {
                            try (MessageStream failing = client.subquery(new byte[] {0}, Duration.ofSeconds(10))) {
                                failing.next();
                            }
                        })
                        .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                                .isEqualTo("STREAM_UNKNOWN_HERE"));
            }
            Waiting.until("memory comes back", () -> server.allocator().getAllocatedMemory() == 0);
        }
    }

    @Test
    void closingAStreamCancelsItAndASlowReceiverHoldsItBack() throws Exception {
        Peer peer = new Peer();
        try (RpcServer server = start(RpcSettings.DEFAULT, peer);
                PeerClient client = new PeerClient(server.allocator(), "127.0.0.1", server.port(), SECRET)) {
            try (MessageStream endless = client.subquery(new byte[] {-1, 1}, Duration.ofSeconds(30))) {
                assertThat(endless.next()).hasSize(1 << 20);
                int[] last = {-1};
                long[] since = {System.nanoTime()};
                Waiting.until("standstill", () -> {
                    if (peer.sent.get() != last[0]) {
                        last[0] = peer.sent.get();
                        since[0] = System.nanoTime();
                    }
                    return System.nanoTime() - since[0] > 300_000_000L;
                });
                assertThat(peer.sent.get()).isLessThan(20);
            }
            Waiting.until("the peer hears of it", () -> peer.end.get() != null);
            assertThat(((WaterwheelException) peer.end.get()).code()).isEqualTo("CLIENT_GONE");
        }
    }

    @Test
    void aSubqueryEndsWithItsTimeout() throws Exception {
        PeerHandler silent = new PeerHandler() {
            @Override
            public void control(String target, byte[] message) {}

            @Override
            public void subquery(byte[] request, MessageSink sink) throws InterruptedException {
                Waiting.until("the subquery ends", sink::cancelled);
            }
        };
        try (RpcServer server = start(RpcSettings.DEFAULT, silent);
                PeerClient client = new PeerClient(server.allocator(), "127.0.0.1", server.port(), SECRET)) {
            // On a busy machine the time may be up before the stream is there.
            assertThatThrownBy(() -> {
                        try (MessageStream stream = client.subquery(new byte[1], Duration.ofMillis(100))) {
                            stream.next();
                        }
                    })
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("TIMEOUT"));
        }
    }

    @Test
    void controlMessagesArriveInOrderAndAgainAfterARestart() throws Exception {
        Peer first = new Peer();
        RpcServer server = start(RpcSettings.DEFAULT, first);
        int port = server.port();
        try (RpcServer own = start(RpcSettings.DEFAULT, new Peer());
                PeerClient client = new PeerClient(own.allocator(), "127.0.0.1", port, SECRET)) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                assertThat(client.offerControl("dispatcher-" + i % 3, new byte[i]))
                        .isTrue();
                expected.add("dispatcher-" + i % 3 + ":" + i);
            }
            Waiting.until("all are there", () -> first.controls.size() == 1000);
            assertThat(first.controls).containsExactlyElementsOf(expected);
            server.close();
            assertThatThrownBy(() -> {
                        try (MessageStream gone = client.subquery(new byte[1], Duration.ofSeconds(5))) {
                            gone.next();
                        }
                    })
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SERVER_UNREACHABLE"));
            Waiting.until("some are dropped", () -> {
                client.offerControl("x", new byte[1]);
                return client.droppedControls() > 0;
            });
            Peer second = new Peer();
            server = start(new RpcSettings("127.0.0.1", port, 64 << 20, 4, 4), second);
            Waiting.until("connected again", () -> {
                client.offerControl("x", new byte[1]);
                return !second.controls.isEmpty();
            });
        } finally {
            server.close();
        }
    }

    @Test
    void onlyWhoKnowsTheSecretIsHeard() throws Exception {
        Peer peer = new Peer();
        PeerSecret other = new PeerSecret(PeerSecret.random());
        try (RpcServer server = start(RpcSettings.DEFAULT, peer);
                BufferAllocator allocator = new RootAllocator();
                FlightClient nobody = FlightClient.builder(
                                allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
                        .build();
                PeerClient stranger = new PeerClient(server.allocator(), "127.0.0.1", server.port(), other);
                PeerClient worker = new PeerClient(server.allocator(), "127.0.0.1", server.port(), SECRET)) {
            byte[] forged = ControlFrames.write(List.of(new ControlFrames.Frame("coordinator-0", new byte[1])));
            refused(() ->
                    nobody.doAction(new Action(ControlFrames.ACTION, forged)).next());
            refused(() -> nobody.getStream(new Ticket(WireQueries.subqueryTicket(new byte[] {1})))
                    .next());
            // A guess, also a second one for the same challenge, opens nothing.
            nobody.doAction(new Action(PeerGate.CHALLENGE, PeerSecret.random())).next();
            refused(() -> nobody.doAction(new Action(PeerGate.PROOF, new byte[PeerSecret.BYTES]))
                    .next());
            refused(() -> nobody.doAction(new Action(PeerGate.PROOF, new byte[PeerSecret.BYTES]))
                    .next());
            refused(() ->
                    nobody.doAction(new Action(PeerGate.PROOF, new byte[5])).next());
            refused(() ->
                    nobody.doAction(new Action(ControlFrames.ACTION, forged)).next());

            // The stranger finds out first that the server is none of its own.
            assertThatThrownBy(() -> stranger.subquery(new byte[] {1}, Duration.ofSeconds(10)))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("another process listens there");
            stranger.offerControl("coordinator-0", new byte[1]);
            Waiting.until("it is dropped", () -> stranger.droppedControls() > 0);
            assertThat(peer.controls).isEmpty();

            try (MessageStream stream = worker.subquery(new byte[] {1}, Duration.ofSeconds(10))) {
                assertThat(stream.next()).hasSize(1);
            }
        }
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(FlightRuntimeException.class).hasMessageContaining("PEER_UNPROVED");
    }

    /** Whoever reaches the port must not make the worker take memory for long messages. */
    @Test
    void longMessagesAreTakenFromWorkersOnly() throws Exception {
        Peer peer = new Peer();
        byte[] longMessage = ControlFrames.write(
                List.of(new ControlFrames.Frame("coordinator-0", new byte[2 * UnprovedLimit.MAX_BYTES])));
        byte[] ticket = WireQueries.subqueryTicket(new byte[2 * UnprovedLimit.MAX_BYTES]);
        try (RpcServer server = start(RpcSettings.DEFAULT, peer);
                BufferAllocator allocator = new RootAllocator();
                FlightClient nobody = FlightClient.builder(
                                allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
                        .build();
                PeerClient worker = new PeerClient(server.allocator(), "127.0.0.1", server.port(), SECRET)) {
            ended(() -> nobody.doAction(new Action(ControlFrames.ACTION, longMessage))
                    .next());
            ended(() ->
                    nobody.doAction(new Action(PeerGate.CHALLENGE, longMessage)).next());
            ended(() -> nobody.getStream(new Ticket(ticket)).next());
            // Short ones are still looked at, also on that connection.
            refused(() ->
                    nobody.doAction(new Action(PeerGate.PROOF, new byte[5])).next());

            worker.offerControl("coordinator-0", new byte[2 * UnprovedLimit.MAX_BYTES]);
            Waiting.until("a worker's is taken", () -> !peer.controls.isEmpty());
            assertThat(peer.controls).containsExactly("coordinator-0:" + 2 * UnprovedLimit.MAX_BYTES);
        }
    }

    /** On the way, before anything could look at it. */
    private static void ended(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(FlightRuntimeException.class).satisfies(e -> assertThat(e.getMessage())
                .doesNotContain("PEER_UNPROVED"));
        // What PeerClient takes for it.
        assertThatThrownBy(call).isInstanceOfSatisfying(FlightRuntimeException.class, e -> assertThat(
                        e.status().code())
                .isIn(FlightStatusCode.RESOURCE_EXHAUSTED, FlightStatusCode.CANCELLED));
    }

    /** The connection was cut and made anew, and the client has not heard of it when it sends something long. */
    @Test
    void aLongRequestOnANewConnectionIsAskedAgain() throws Exception {
        try (RpcServer server = start(RpcSettings.DEFAULT, new Peer());
                PeerClient worker = new PeerClient(server.allocator(), "127.0.0.1", server.port(), SECRET)) {
            for (CallStatus status : List.of(CallStatus.RESOURCE_EXHAUSTED, CallStatus.CANCELLED)) {
                WaterwheelException failure = worker.failure(status.toRuntimeException(), 2 * UnprovedLimit.MAX_BYTES);
                assertThat(failure.is(ErrorCode.PEER_UNPROVED)).isTrue();
                assertThat(failure.kind()).isEqualTo(WaterwheelException.Kind.TEMPORARY);
                assertThat(worker.failure(status.toRuntimeException(), 100).is(ErrorCode.PEER_UNPROVED))
                        .isFalse();
            }
        }
    }

    /** Whatever its length: above the transport's limit the peer would end it before it looked at it. */
    @Test
    void aRequestThatNoWorkerTakesIsRefusedForGood() throws Exception {
        int wrapping = WireQueries.subqueryTicket(new byte[1 << 19]).length - (1 << 19);
        byte[] longest = new byte[WireQueries.MAX_TICKET_BYTES - wrapping];
        longest[0] = 1;
        try (RpcServer server = start(RpcSettings.DEFAULT, new Peer());
                PeerClient worker = new PeerClient(server.allocator(), "127.0.0.1", server.port(), SECRET)) {
            for (int length : new int[] {longest.length + 1, RpcServer.MAX_MESSAGE_BYTES + 1}) {
                assertThatThrownBy(() -> worker.subquery(new byte[length], Duration.ofSeconds(60)))
                        .isInstanceOfSatisfying(WaterwheelException.class, e -> {
                            assertThat(e.code()).isEqualTo("QUERY_TOO_LARGE");
                            assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.USER);
                        })
                        .hasMessageContaining("bytes, expected at most " + WireQueries.MAX_TICKET_BYTES);
            }
            try (MessageStream taken = worker.subquery(longest, Duration.ofSeconds(60))) {
                assertThat(taken.next()).hasSize(1 << 20);
            }
        }
    }

    /** Somebody at a dead worker's place passes on to a living one what a third sends: it proves nothing there. */
    @Test
    void aProofIsGoodForOneServerOnly() {
        byte[] client = PeerSecret.random();
        byte[] server = PeerSecret.random();
        assertThat(SECRET.ofClient("a:1", client, server)).isNotEqualTo(SECRET.ofClient("b:1", client, server));
        assertThat(SECRET.ofClient("a:1", client, server)).isNotEqualTo(SECRET.ofServer("a:1", client, server));
        assertThat(SECRET.ofClient("a:1", client, server)).isNotEqualTo(SECRET.ofClient("a:1", server, client));
        assertThat(SECRET.toString()).isEqualTo("a peer secret");
    }

    @Test
    void damagedControlMessagesAreRefused() {
        byte[] body = ControlFrames.write(List.of(new ControlFrames.Frame("target", new byte[5])));
        assertThat(ControlFrames.read(body)).hasSize(1);
        for (int length = 1; length < body.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(body, length);
            assertThatThrownBy(() -> ControlFrames.read(cut)).isInstanceOf(WaterwheelException.class);
        }
        body[8] = 127;
        assertThatThrownBy(() -> ControlFrames.read(body)).hasMessageContaining("expected at most");
    }

    private static RpcServer start(RpcSettings settings, PeerHandler peer) {
        return RpcServer.forPeers(settings, peer, SECRET);
    }
}
