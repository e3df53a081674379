package io.waterwheel.catalog;

import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.ConflictException;
import io.waterwheel.catalog.store.CatalogStore.Node;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.catalog.store.CatalogStore.UnknownOutcomeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Where a stream's next edit goes. A number is used once only though edits that are rolled up are deleted: a
 * transaction that creates an edit also checks that the manifest's pointer is the one that its number was found under;
 * under that pointer only lower numbers have ever been deleted. Thread-safe; calls block.
 */
public final class EditTail {
    /** Edits read at once; each may have the watermarks of thousands of partitions. */
    public static final int BULK = 64;

    /**
     * Where the edits end, as far as is known.
     *
     * @param last number of the last edit
     * @param pointerVersion of the pointer's node
     * @param rolledUp the pointer's edit; never above {@code last}
     */
    public record Place(long last, int pointerVersion, long rolledUp) {
        long next() {
            return last + 1;
        }
    }

    /** Names of edits in the order of their numbers. */
    private static final int EDIT_DIGITS = 10;

    private final CatalogStore store;
    private final StreamInfo stream;
    private final String base;
    /** A guess; a conflict corrects it. */
    private volatile @Nullable Place guess;

    public EditTail(CatalogStore store, StreamInfo stream) {
        this.store = store;
        this.stream = stream;
        this.base = Namespace.dataPath(stream.id());
    }

    public String editPath(long number) {
        // String.format took a tenth of the time of a simulated coordinator.
        String digits = Long.toString(number);
        return base + "/edits/" + "0".repeat(Math.max(0, EDIT_DIGITS - digits.length())) + digits;
    }

    public String pointerPath() {
        return base + "/manifest";
    }

    /** Where the next edit goes, if nothing has happened since this was last found out. */
    Place place() {
        Place known = guess;
        return known != null ? known : refresh();
    }

    /** The same for a try of a {@link CatalogTransaction}: after one in vain it is found out again. */
    Place place(@Nullable Exception before) {
        return before == null ? place() : refresh();
    }

    /** Finds it out again; sync before to see what others have done. */
    public Place refresh() {
        Node pointer = pointer();
        long rolledUp = CatalogJson.readManifest(pointerPath(), pointer.data()).edit();
        Place known = guess;
        long low = Math.max(rolledUp, known == null ? 0 : known.last());
        // Above what is rolled up there are no gaps, and few edits are above the guess; a list of all could be long.
        long step = 1;
        while (exists(low + step)) {
            low += step;
            step *= 2;
        }
        long high = low + step;
        while (high - low > 1) {
            long middle = low + (high - low) / 2;
            if (exists(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Place found = new Place(low, pointer.version(), rolledUp);
        guess = found;
        return found;
    }

    /** Edits from a number on without a gap, at most {@code count}: in one round trip where possible. */
    public List<Edit> edits(long from, int count) {
        List<String> paths =
                LongStream.range(from, from + count).mapToObj(this::editPath).toList();
        List<Optional<Node>> nodes = store.readAll(paths);
        List<Edit> edits = new ArrayList<>();
        for (int i = 0; i < count && nodes.get(i).isPresent(); i++) {
            edits.add(CatalogJson.readEdit(paths.get(i), nodes.get(i).get().data()));
        }
        return edits;
    }

    private boolean exists(long number) {
        return store.read(editPath(number)).isPresent();
    }

    /** Makes a change together with the edit that tells of it. */
    public void commit(Place place, Edit edit, List<Op> change) throws ConflictException, UnknownOutcomeException {
        commit(place, CatalogJson.write(edit), change);
    }

    /** Makes a change together with an edit that is written already. */
    public void commit(Place place, byte[] edit, List<Op> change) throws ConflictException, UnknownOutcomeException {
        store.commit(with(place, edit, change));
        guess = new Place(place.next(), place.pointerVersion(), place.rolledUp());
    }

    private List<Op> with(Place place, byte[] edit, List<Op> change) {
        List<Op> ops = new ArrayList<>(change);
        ops.add(new Op.Create(editPath(place.next()), edit));
        ops.add(new Op.Check(pointerPath(), place.pointerVersion()));
        return ops;
    }

    /** The pointer's node, made for a stream of an older layout. */
    public Node pointer() {
        return new CatalogTransaction(store, "stream " + stream.name() + ": its manifest's node could not be made")
                .run(before -> {
                    Optional<Node> node = store.read(pointerPath());
                    if (node.isEmpty()) {
                        String path = Namespace.path(stream.name());
                        Node entry = store.read(path).orElseThrow(() -> new StreamGoneException(stream.name(), path));
                        if (CatalogJson.readStream(path, entry.data()).id() != stream.id()) {
                            throw new StreamGoneException(stream.name(), path);
                        }
                        store.commit(List.of(
                                new Op.Check(path, entry.version()), new Op.Create(pointerPath(), new byte[0])));
                        node = store.read(pointerPath());
                    }
                    return node.orElseThrow(() -> new StreamGoneException(stream.name(), pointerPath()));
                });
    }
}
