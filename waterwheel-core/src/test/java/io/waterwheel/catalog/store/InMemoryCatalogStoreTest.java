package io.waterwheel.catalog.store;

import io.waterwheel.catalog.CatalogStoreContract;

final class InMemoryCatalogStoreTest extends CatalogStoreContract {
    private final InMemoryCatalogStore.Tree tree = new InMemoryCatalogStore.Tree();

    @Override
    protected CatalogStore newClient() {
        return new InMemoryCatalogStore(tree);
    }

    @Override
    protected void loseSession(CatalogStore client) {
        ((InMemoryCatalogStore) client).loseSession();
    }
}
