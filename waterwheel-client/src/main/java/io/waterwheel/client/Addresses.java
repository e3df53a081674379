package io.waterwheel.client;

import java.util.List;

/** Where the coordinators are. Thread-safe. */
interface Addresses {
    /**
     * As it is known now: {@code grpc://HOST:PORT} each, at least one. May ask elsewhere, and block for seconds.
     *
     * @throws io.waterwheel.error.WaterwheelException when it is not known
     */
    List<String> now();

    /** Whether it may be others later: then it is worth asking again when none of them takes a call. */
    boolean change();

    /** Always the same. */
    static Addresses fixed(List<String> urls) {
        List<String> all = List.copyOf(urls);
        return new Addresses() {
            @Override
            public List<String> now() {
                return all;
            }

            @Override
            public boolean change() {
                return false;
            }
        };
    }
}
