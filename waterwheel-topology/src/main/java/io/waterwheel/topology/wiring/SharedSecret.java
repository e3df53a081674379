package io.waterwheel.topology.wiring;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.rpc.PeerSecret;
import java.util.List;
import java.util.Optional;

/**
 * What the workers of a catalog know of each other, drawn by the first of them: as secret as the catalog's ACLs are.
 */
final class SharedSecret {
    private static final String NODE = "/peer-secret";

    private SharedSecret() {}

    static PeerSecret of(CatalogStore catalog) {
        Optional<CatalogStore.Node> there = catalog.read(NODE);
        if (there.isEmpty()) {
            try {
                catalog.commit(List.of(new CatalogStore.Op.Create(NODE, PeerSecret.random())));
            } catch (CatalogStore.ConflictException | CatalogStore.UnknownOutcomeException e) {
                // Another worker drew one, or this one's draw came through: what is there counts.
                catalog.sync();
            }
            there = catalog.read(NODE);
        }
        if (there.isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.NO_PEER_SECRET,
                    "catalog node " + NODE + " could not be made; the worker tries again when it is started again");
        }
        byte[] secret = there.get().data();
        if (secret.length != PeerSecret.BYTES) {
            throw new WaterwheelException(
                    ErrorCode.BAD_PEER_SECRET,
                    "catalog node " + NODE + ": " + secret.length + " bytes, expected " + PeerSecret.BYTES
                            + "; stop all workers of the catalog, delete the node, and start them again");
        }
        return new PeerSecret(secret);
    }
}
