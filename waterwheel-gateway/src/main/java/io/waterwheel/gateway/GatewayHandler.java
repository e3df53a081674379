package io.waterwheel.gateway;

import io.waterwheel.gateway.http.BodyReader;
import io.waterwheel.gateway.http.ConnectionThreads;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Parameters;
import io.waterwheel.gateway.http.PushBudget;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.URIUtil;
import org.jspecify.annotations.Nullable;

/** Finds the route of each request, reads its body, and has it answered. Never waits. */
final class GatewayHandler extends Handler.Abstract.NonBlocking {
    private static final Pattern LOOPBACK = Pattern.compile("127(\\.\\d{1,3}){3}");
    private static final Pattern PORT = Pattern.compile(":\\d+$");

    private final List<Route> routes;
    private final ConnectionThreads connections;
    private final Executor looks;
    private final PushBudget budget;
    private final PushBudget others;
    private final ClientWatch watch;
    private final GatewaySettings settings;
    private final GatewayMeter meter;
    /** As what it was called last that is a name of its own: most clients call it the same. */
    private volatile @Nullable String own;

    /**
     * @param connections whose threads handle what a thread that answers others may not
     * @param looks where calls wait for a coordinator; refuses what is too much
     * @param budget of the bytes of rows
     * @param others of the bytes of all other bodies
     * @param settings of the gateway: where it listens, and as what it may be called
     */
    GatewayHandler(
            List<Route> routes,
            ConnectionThreads connections,
            Executor looks,
            PushBudget budget,
            PushBudget others,
            ClientWatch watch,
            GatewaySettings settings,
            GatewayMeter meter) {
        this.routes = List.copyOf(routes);
        this.connections = connections;
        this.looks = looks;
        this.budget = budget;
        this.others = others;
        this.watch = watch;
        this.settings = settings;
        this.meter = meter;
    }

    /** A route, and the name of the stream in the path. */
    private record Found(Route route, String name) {}

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        watch.head(request);
        connections.handle(
                request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING) ? -1 : request.getLength(), () -> {
                    try {
                        begin(request, response, callback);
                    } catch (RuntimeException | Error e) {
                        // Jetty's own words for what no endpoint can tell, which it does not say on other threads.
                        Response.writeError(request, response, callback, e);
                    }
                });
        return true;
    }

    private void begin(Request request, Response response, Callback callback) {
        Found found;
        Map<String, List<String>> parameters;
        try {
            checkOrigin(request);
            found = find(request, response);
            parameters = Parameters.decode(request.getHttpURI().getQuery());
        } catch (HttpFailure e) {
            meter.request(request, response, null);
            PushBudget.Lease nothing = others.lease();
            BodyReader.drop(request, nothing, e, refused(request, response, callback, nothing)::fail);
            return;
        }
        meter.request(request, response, found.route());
        PushBudget.Lease lease = (found.route().kind() == Route.Kind.PUSH ? budget : others).lease();
        BodyReader.read(
                request,
                found.route().mostBodyBytes(),
                lease,
                body -> {
                    // A client that waits for its answer is not idle; the answer has bounds of its own.
                    request.addIdleTimeoutListener(unused -> false);
                    answer(
                            found.route(),
                            new Exchange(request, response, callback, found.name(), parameters, body, lease));
                },
                refused(request, response, callback, lease)::fail);
    }

    private static Exchange refused(Request request, Response response, Callback callback, PushBudget.Lease lease) {
        return new Exchange(request, response, callback, "", Map.of(), new byte[0], lease);
    }

    private void answer(Route route, Exchange exchange) {
        Runnable step = () -> route.endpoint().answer(exchange);
        switch (route.kind()) {
            case LOOK -> exchange.answer(looks, step);
            case AT_ONCE, PUSH, OWN, ENDLESS -> exchange.answer(step);
        }
    }

    private Found find(Request request, Response response) {
        String path = Request.getPathInContext(request);
        List<String> segments = new ArrayList<>();
        for (String segment : path.substring(Math.min(1, path.length())).split("/", -1)) {
            segments.add(URIUtil.decodePath(segment));
        }
        TreeSet<String> allowed = new TreeSet<>();
        for (Route route : routes) {
            String name = route.match(segments);
            if (name != null) {
                if (route.methods().contains(request.getMethod())) {
                    return new Found(route, name);
                }
                allowed.addAll(route.methods());
            }
        }
        if (allowed.isEmpty()) {
            throw HttpFailure.of(
                    HttpCode.NO_SUCH_PATH, "there is nothing at " + path + "; docs/http.md lists what there is");
        }
        String methods = String.join(", ", allowed);
        response.getHeaders().put(HttpHeader.ALLOW, methods);
        throw HttpFailure.of(HttpCode.METHOD_NOT_ALLOWED, path + " takes " + methods + ", got " + request.getMethod());
    }

    /**
     * Refuses what a page of another origin sends by the browser of somebody who reaches this gateway: browsers say
     * whose page it is; and a name that somebody made to stand for this machine is not one of its own.
     */
    private void checkOrigin(Request request) {
        String asked = request.getHeaders().get(HttpHeader.HOST);
        String origin = request.getHeaders().get(HttpHeader.ORIGIN);
        if (origin != null
                && (asked == null
                        || !origin.toLowerCase(Locale.ROOT)
                                .replaceFirst("^https?://", "")
                                .equals(asked.toLowerCase(Locale.ROOT)))) {
            throw HttpFailure.of(
                    HttpCode.FOREIGN_ORIGIN, "a page of " + origin + " may not ask this gateway", "Origin");
        }
        if ("cross-site".equals(request.getHeaders().get("Sec-Fetch-Site"))) {
            throw HttpFailure.of(
                    HttpCode.FOREIGN_ORIGIN, "a page of another site may not ask this gateway", "Sec-Fetch-Site");
        }
        if (!settings.allowedHosts().isEmpty()) {
            if (!isOwn(asked) && !settings.allowedHosts().contains(name(asked))) {
                throw HttpFailure.of(
                        HttpCode.FOREIGN_ORIGIN,
                        "this gateway may be called by the names of gateway.allowed-hosts, not as " + asked,
                        "Host");
            }
        } else if (isLoopback(request.getConnectionMetaData().getLocalSocketAddress()) && !isOwn(asked)) {
            throw HttpFailure.of(
                    HttpCode.FOREIGN_ORIGIN,
                    "this gateway listens on this machine only, as 127.0.0.1 or localhost, not as " + asked,
                    "Host");
        }
    }

    private static boolean isLoopback(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress at && at.getAddress().isLoopbackAddress();
    }

    private boolean isOwn(@Nullable String asked) {
        if (asked == null) {
            return true; // HTTP/1.0, which no browser speaks
        }
        if (asked.equals(own)) {
            return true;
        }
        String name = name(asked);
        boolean found = name.equals("localhost")
                || LOOPBACK.matcher(name).matches()
                || name.equals("[::1]")
                || name.equals(settings.host().toLowerCase(Locale.ROOT));
        if (found) {
            own = asked;
        }
        return found;
    }

    /** Without the port. */
    private static String name(@Nullable String asked) {
        return asked == null ? "" : PORT.matcher(asked).replaceFirst("").toLowerCase(Locale.ROOT);
    }
}
