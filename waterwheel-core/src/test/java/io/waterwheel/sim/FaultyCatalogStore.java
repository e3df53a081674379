package io.waterwheel.sim;

import io.waterwheel.catalog.CatalogStore;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A catalog whose transactions sometimes end with an unknown outcome, done or not; a seed decides. */
final class FaultyCatalogStore implements CatalogStore {
    private final CatalogStore real;
    private final Random random;
    private final double faults;

    FaultyCatalogStore(CatalogStore real, Random random, double faults) {
        this.real = real;
        this.random = random;
        this.faults = faults;
    }

    @Override
    public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
        if (random.nextDouble() < faults) {
            if (random.nextBoolean()) {
                real.commit(ops);
            }
            throw new UnknownOutcomeException("planted", new java.io.IOException("connection lost"));
        }
        real.commit(ops);
    }

    @Override
    public Optional<Node> read(String path) {
        return real.read(path);
    }

    @Override
    public List<String> children(String path) {
        return real.children(path);
    }

    @Override
    public void ensure(String path) {
        real.ensure(path);
    }

    @Override
    public void sync() {
        real.sync();
    }

    @Override
    public AutoCloseable watch(String path, Runnable onChange) {
        return real.watch(path, onChange);
    }

    @Override
    public AutoCloseable announce(String path, byte[] data) {
        return real.announce(path, data);
    }

    @Override
    public void close() {
        real.close();
    }
}
