package io.waterwheel.sim;

import static io.waterwheel.sim.PlantedBug.Kind.LIVENESS;
import static io.waterwheel.sim.PlantedBug.Kind.MEMORY;
import static io.waterwheel.sim.PlantedBug.Kind.NONE;
import static io.waterwheel.sim.PlantedBug.Kind.SAFETY;

import java.util.List;

/** Every rule that the simulator must miss when it is gone; the table in docs/exactness.md is printed from here. */
final class PlantedBugs {
    private static final String DISPATCHER = "ingest/dispatch/PartitionDispatcher";
    private static final String ROUTER = "ingest/dispatch/SegmentRouter";
    private static final String OUTGOING = "ingest/dispatch/OutgoingChannels";
    private static final String CATCH_UP = "ingest/dispatch/CatchUp";
    private static final String CATCH_UP_BUDGET = "ingest/dispatch/CatchUpBudget";
    private static final String LANE = "ingest/source/ReadLane";
    private static final String READ_WINDOW = "ingest/source/ReadWindow";
    private static final String INDEXER = "ingest/indexer/IndexerCore";
    private static final String INCOMING = "ingest/indexer/IncomingChannels";
    private static final String TREES = "ingest/indexer/TreeStages";
    private static final String GENERATION = "ingest/indexer/TreeGroup";
    private static final String FLUSH = "ingest/indexer/FlushSequence";
    private static final String CATALOG = "catalog/StreamCatalog";
    private static final String CHECKPOINTS = "catalog/IndexerChanges";
    private static final String ROUTING = "catalog/RoutingChanges";
    private static final String SNAPSHOT = "catalog/state/StreamSnapshot";
    private static final String BUILDER = "catalog/state/SnapshotBuilder";
    private static final String ROUTE = "catalog/state/PartitionRoute";
    private static final String COLLECTOR = "catalog/maintenance/FileCollector";
    private static final String TAIL = "catalog/EditTail";
    private static final String COMPACTION = "catalog/maintenance/ManifestCompaction";
    private static final String EXPIRY = "catalog/maintenance/Expiry";
    private static final String MANIFESTS = "catalog/manifest/ManifestReader";
    private static final String SNAPSHOTS = "catalog/SnapshotReader";
    private static final String PLAN = "query/plan/QueryPlan";
    private static final String PLANNER = "query/run/QueryPlanner";
    private static final String READER = "query/scan/FreshReader";
    private static final String RUN = "query/run/QueryRun";

    private static final PlantedBug CUTTING = new PlantedBug(
                    "cutting", 4, SAFETY, "tuples below the watermark are not cut off")
            .with(INDEXER, "int first = body.firstRowAt(channel.watermark);", "int first = 0;");

    /** The node version stands for (epoch, s - 1); with these the transaction checks only one of the two. */
    private static PlantedBug commitChecks(PlantedBug bug, String check) {
        return bug.with(
                        CHECKPOINTS,
                        "List.of(new Op.Set(path, CatalogJson.write(next), nodeVersion))",
                        "List.of(new Op.Set(path, CatalogJson.write(next), checked(path, next)))")
                .with(
                        CHECKPOINTS,
                        "private CatalogStore.Node require(String path) {",
                        "private int checked(String path, IndexerCheckpoint next) throws CatalogStore.ConflictException {"
                                + " store.sync(); CatalogStore.Node node = require(path);"
                                + " IndexerCheckpoint current = CatalogJson.readCheckpoint(path, node.data());"
                                + " if (" + check + ") { throw new CatalogStore.ConflictException(\"planted\"); }"
                                + " return node.version(); }"
                                + " private CatalogStore.Node require(String path) {");
    }

    private static final PlantedBug NO_S_CHECK = commitChecks(
                    new PlantedBug(
                            "no s-1", 7, NONE, "the commit checks the epoch, not that the flush before is committed"),
                    "current.epoch() != next.epoch()")
            .with(CHECKPOINTS, "if (current.flushed() != next.flushed() - 1) {", "if (current.flushed() < 0) {");

    private static final PlantedBug APART = new PlantedBug(
                    "checkpoint apart", 3, SAFETY, "the epoch is raised on another reading than the checkpoint's")
            .with(
                    CHECKPOINTS,
                    "IndexerCheckpoint raised = new IndexerCheckpoint(old.epoch() + 1,",
                    "node = require(path); place = tail.refresh(); IndexerCheckpoint raised = new IndexerCheckpoint("
                            + "CatalogJson.readCheckpoint(path, node.data()).epoch() + 1,");

    private static final PlantedBug REPEATS = new PlantedBug("repeats", 4, NONE, "repeated blocks are not dropped")
            .with(INDEXER, "if (block.to() <= channel.watermark) {", "if (block.to() < 0) {")
            .with(INCOMING, "channel.watermark = to;", "channel.watermark = Math.max(channel.watermark, to);");

    private static final PlantedBug ORDER = new PlantedBug(
                    "flush order", 7, NONE, "the newest sealed tree is flushed first")
            .with(FLUSH, "private boolean ended;", "private boolean ended; private SealedTree picked;")
            .with(
                    FLUSH,
                    "SealedTree sealed = waiting.getFirst();",
                    "SealedTree sealed = partsWritten == 0 ? (picked = waiting.getLast()) : picked;")
            .with(FLUSH, "if (sealed.flush() != lastFlush + 1) {", "if (sealed.flush() < 0) {")
            .with(
                    TREES,
                    "return !sealed.isEmpty() && sealed.get(0).sequence() == sequence;",
                    "return !sealed.isEmpty();");

    private static final PlantedBug GAP = new PlantedBug(
                    "gap in a heartbeat", 5, NONE, "a heartbeat beyond the watermark is believed")
            .with(
                    INCOMING,
                    "if (heartbeats.position(entry) > channel.watermark) {",
                    "if (heartbeats.position(entry) < 0) {");

    private static final PlantedBug ACCOUNT = new PlantedBug(
                    "account in a heartbeat", 6, NONE, "what a dispatcher says that it has sent is believed")
            .with(INCOMING, "heartbeats.sent(entry) != channel.consumed", "heartbeats.sent(entry) < 0");

    private static final PlantedBug BEHIND = new PlantedBug(
                    "behind in a heartbeat", 5, NONE, "a dispatcher that stands below the watermark is believed")
            .with(INCOMING, "heartbeats.position(entry) < channel.watermark", "heartbeats.position(entry) < 0");

    private static final PlantedBug SUBQUERY_EPOCH = new PlantedBug(
                    "subquery epoch", 9, NONE, "a subquery for another epoch is answered")
            .with(READER, "if (view.epoch() != subquery.epoch()) {", "if (view.epoch() < 0) {");

    private static final PlantedBug S_ABOVE = new PlantedBug(
                    "s above mine", 9, NONE, "a subquery above the last flush is answered")
            .with(READER, "if (view.flushed() < subquery.flushed()) {", "if (view.flushed() < 0) {");

    private PlantedBugs() {}

    /** Those of the protocol's list, then our own, then those that are only seen in pairs. */
    static final List<PlantedBug> ALL = List.of(
            new PlantedBug("limit", 1, SAFETY, "offsets are routed before they are reserved")
                    .with(
                            ROUTER,
                            "if (records.from < route.firstSince() || records.from >= route.limit()"
                                    + " || blockers.isAt(records.from)) {",
                            "if (records.from < route.firstSince() || blockers.isAt(records.from)) {")
                    .with(DISPATCHER, "ring.hasRoom() && first.from < route.limit()", "ring.hasRoom()")
                    .with(ROUTE, "return Math.min(limit, since);", "return since;")
                    .with(ROUTE, "return limit;", "return Long.MAX_VALUE;"),
            new PlantedBug("route cas", 1, SAFETY, "the route is written without compare-and-set")
                    .with(
                            CATALOG,
                            "CatalogJson.write(changed), current.nodeVersion())))",
                            "CatalogJson.write(changed), -1)))"),
            new PlantedBug("since", 1, SAFETY, "a version enters below the limit")
                    .with(
                            ROUTE,
                            "new VersionSince(version, limit)",
                            "new VersionSince(version, Math.max(last.since(), limit - 48))"),
            new PlantedBug("versions in use", 1, SAFETY, "a route forgets versions that are not covered by checkpoints")
                    .with(
                            ROUTE,
                            "versions.get(first + 1).since() <= covered",
                            "versions.get(first + 1).since() <= limit"),
            new PlantedBug("tables in use", 1, LIVENESS, "a change of the routing deletes tables that routes name")
                    .with(ROUTING, "current.route().versions().forEach(version -> named.add(version.version()));", ""),
            new PlantedBug("announced", 8, SAFETY, "plans know only of tables that are recorded as adopted")
                    .with(SNAPSHOT, "if (version > least) {", "if (version < 0) {"),
            new PlantedBug("recorded", 8, SAFETY, "of what a partition has adopted only the newest is recorded")
                    .with(
                            ROUTING,
                            "adopted.put(p, routes.get(p).versions());",
                            "adopted.put(p, routes.get(p).versions().subList(routes.get(p).versions().size() - 1,"
                                    + " routes.get(p).versions().size()));"),
            new PlantedBug("join", 2, SAFETY, "an indexer that is new begins above the limits")
                    .with(
                            ROUTING,
                            ".mapToLong(versioned -> versioned.route().limit())",
                            ".mapToLong(versioned -> versioned.route().limit() + 48)"),
            new PlantedBug("finish", 1, LIVENESS, "a table that not all have adopted stays so")
                    .with(ROUTING, "announced.ifPresent(table -> enter(table, snapshot));", ""),
            new PlantedBug("contiguity", 4, SAFETY, "a block beyond the watermark is taken")
                    .with(INDEXER, "if (block.from() > channel.watermark) {", "if (block.from() < 0) {"),
            CUTTING,
            commitChecks(
                            new PlantedBug("commit epoch", 7, SAFETY, "the commit checks s - 1, not the epoch"),
                            "current.flushed() != next.flushed() - 1")
                    .with(CHECKPOINTS, "if (current.epoch() != next.epoch()) {", "if (current.epoch() < 0) {")
                    .with(
                            CHECKPOINTS,
                            "throw new IllegalStateException(\"stream \" + stream.name() + \", indexer \" + indexer + \": flush \""
                                    + " + next.flushed() + \" cannot follow flush \" + current.flushed());",
                            "return new CommitOutcome.Fenced(current.epoch());"),
            new PlantedBug("w at seal", 7, SAFETY, "the checkpoint's watermarks are those at the commit")
                    .with(
                            INDEXER,
                            "new IndexerCheckpoint(epoch, sequence, sealedWatermarks.clone(), rejected)",
                            "new IndexerCheckpoint(epoch, sequence, liveWatermarks(), rejected)")
                    .with(
                            INDEXER,
                            "private void publish() {",
                            "private long[] lent; private long[] liveWatermarks() { lent = channels.watermarks(); return lent; }"
                                    + " private void publish() {")
                    .with(
                            INDEXER,
                            "version = Math.max(version, block.version());",
                            "version = Math.max(version, block.version());"
                                    + " if (lent != null) { lent[block.partition()] = block.to(); }"),
            new PlantedBug("floor", 9, SAFETY, "a subquery below the forgotten floor is answered")
                    .with(READER, "if (view.floor() > subquery.flushed()) {", "if (view.floor() < 0) {"),
            new PlantedBug("answer version", 9, SAFETY, "an answer of a newer routing version is taken")
                    .with(
                            "query/run/IndexerReplies",
                            "if (header.version() > plan.snapshot().version()) {",
                            "if (header.version() < 0) {"),
            new PlantedBug("interval union", 8, SAFETY, "only the newest version's intervals say who is asked")
                    .with(
                            SNAPSHOT,
                            "boolean past = v + 1 < versions.size() && versions.get(v + 1).since() <= checkpoint.watermarks()[p];",
                            "boolean past = v + 1 < versions.size();"),
            new PlantedBug("report s", 8, SAFETY, "a report of a later flush excuses")
                    .with(PLAN, "if (report.flushed() > checkpoint.flushed()) {", "if (report.flushed() < 0) {"),
            new PlantedBug("report w", 8, SAFETY, "a report below the demand excuses")
                    .with(PLAN, "if (report.watermarks()[p] < demand[p]) {", "if (report.watermarks()[p] < 0) {"),
            new PlantedBug("report version", 8, SAFETY, "a report of a newer routing version excuses")
                    .with(PLAN, "&& report.version() <= snapshot.version()", ""),
            new PlantedBug("report shown", 10, SAFETY, "a report from before what an answer has shown excuses")
                    .with(PLAN, "reported == null ? new long[0] : reported.shown()", "new long[0]"),
            new PlantedBug(
                            "report ahead",
                            10,
                            SAFETY,
                            "a report from before what another coordinator has shown excuses")
                    .with(PLAN, "seen.aheadOf(indexer)", "Map.<Integer, Long>of()"),
            new PlantedBug("shown while read", 10, SAFETY, "what an indexer takes while it is read counts as not shown")
                    .with(READER, "shown[p] = Math.max(shown[p], taking.get(p));", ""),
            new PlantedBug("shown is seen", 10, SAFETY, "what is told as shown are the positions")
                    .with(
                            "query/SessionPositions",
                            "return ahead.isEmpty() ? positions : highest(ahead, positions);",
                            "return positions;"),
            new PlantedBug(
                            "session's edit",
                            10,
                            SAFETY,
                            "an answer is planned on an older edit than the session's last")
                    .with(PLANNER, "|| seen.edit() > snapshot.edit()", ""),
            new PlantedBug("one edit", 8, SAFETY, "flushes are asked for as reported, chunks as in the snapshot")
                    .with(
                            PLAN,
                            "checkpoint.epoch(),\n                        checkpoint.flushed(),\n                        own)",
                            "checkpoint.epoch(), reported == null || reported.last().epoch() != checkpoint.epoch()"
                                    + " ? checkpoint.flushed()"
                                    + " : Math.max(checkpoint.flushed(), reported.last().flushed()), own)"),
            new PlantedBug("merge check", 11, SAFETY, "a merge does not look whether its inputs are still there")
                    .with(CATALOG, "if (!inputs.stream().allMatch(current::holds)) {", "if (inputs.isEmpty()) {")
                    .with(BUILDER, "if (gone.size() != files.size()) {", "if (gone.size() > inputs.size()) {"),
            new PlantedBug("collector epoch", 12, SAFETY, "files of a living epoch are collected")
                    .with(COLLECTOR, "return flushed || replaced.contains(file);", "return true;"),
            new PlantedBug("file epoch", 7, SAFETY, "file names are used again by the next epoch")
                    .with(
                            "catalog/state/ChunkDescriptor",
                            "indexer + \"-\" + epoch + \"-\" + flush",
                            "indexer + \"-\" + 1 + \"-\" + flush")
                    .with(FLUSH, "if (!same) {", "if (!same && content.isEmpty()) {"),
            new PlantedBug("one version a block", 4, SAFETY, "a block spans a change of the routing")
                    .with(
                            ROUTER,
                            "Math.min(route.nextChange(records.from), route.nextLost(records.from))",
                            "Math.min(route.limit(), route.nextLost(records.from))"),
            APART,
            new PlantedBug("channel instance", 3, LIVENESS, "a subscription after a gap is the same as before")
                    .with(INCOMING, "channel.attempt++;", ""),
            new PlantedBug("heartbeat", 5, LIVENESS, "idle channels are silent")
                    .with(
                            OUTGOING,
                            "send(channel, channel.sentTo, channel.sentTo, null, ChannelBlock.NO_TIME, now);",
                            "")
                    .with(OUTGOING, "if (epoch != null && silent", "if (epoch != null && now < 0 && silent"),
            new PlantedBug("credit again", 6, LIVENESS, "credit that a dispatcher does not know of is not sent again")
                    .with(
                            INCOMING,
                            "if (heartbeats.granted(entry) < channel.granted) {",
                            "if (heartbeats.granted(entry) < 0) {"),
            new PlantedBug("repeated subscribe", 5, LIVENESS, "a lost subscription is not sent again")
                    .with(
                            INCOMING,
                            "} else if (isSilent(channel, now)) {",
                            "} else if (now < 0 && isSilent(channel, now)) {"),
            new PlantedBug("cumulative credit", 6, MEMORY, "credit is added up instead of being a maximum")
                    .with(
                            OUTGOING,
                            "&& credit.granted() > channel.granted) { channel.granted = credit.granted();",
                            ") { channel.granted += credit.granted() - channel.sent;"),
            new PlantedBug("consumed", 6, LIVENESS, "a new subscription counts what was lost under way")
                    .with(OUTGOING, "channel.sent = subscribe.consumed();", ""),
            new PlantedBug("seal on an empty pool", 6, LIVENESS, "a pool that can grant nothing seals no tree")
                    .with("ingest/indexer/IndexerTask", "if (next != null) {", "if (next != null && now < 0) {"),
            // Our own.
            new PlantedBug(
                            "dead letters first",
                            4,
                            SAFETY,
                            "tuples are sent before the dead letters among them are stored")
                    .with(
                            OUTGOING,
                            "if (segment == null || !segment.unstored().isEmpty()) {",
                            "if (segment == null) {"),
            new PlantedBug("letters again", 4, LIVENESS, "letters that may not be stored are not sent again")
                    .with(
                            "ingest/dispatch/DeadLetterQueue",
                            "if (!sent.contains(waiting.get(i))) {",
                            "if (sent.isEmpty() && now < 0) {"),
            new PlantedBug("recovering", 10, SAFETY, "an indexer that recovers does not say so")
                    .with(INCOMING, "if (channels[p].watermark < targets[p]) {", "if (channels[p].watermark < 0) {"),
            new PlantedBug("stale", 10, SAFETY, "an indexer that hears nothing does not say so")
                    .with(READER, "if (now - view.heardNanos()[p] > staleNanos) {", "if (now < 0) {"),
            new PlantedBug("demand", 10, SAFETY, "what a session has seen is not demanded")
                    .with(
                            PLAN,
                            "seen.positions().forEach((partition, offset) -> demand(demand, partition, offset));",
                            ""),
            new PlantedBug("unknown is done", 7, SAFETY, "a commit that ended unknown is taken for done")
                    .with(
                            CHECKPOINTS,
                            "if (current.flushed() == next.flushed()) {",
                            "if (current.flushed() == next.flushed() || before instanceof CatalogStore.UnknownOutcomeException) {"),
            new PlantedBug("moved", 7, SAFETY, "a flush's edit leaves out watermarks that moved a little")
                    .with(
                            "catalog/state/CheckpointStep",
                            "|| after[p] != before[p]) {",
                            "|| after[p] > before[p] + 16) {"),
            new PlantedBug("refused once", 4, SAFETY, "refused rows of a repeated block are counted again")
                    .with(
                            INDEXER,
                            "rejected += body.rejectedFrom(channel.watermark);",
                            "rejected += body.rejectedCount();"),
            new PlantedBug("one attempt", 10, SAFETY, "a chunk's attempt that broke off is delivered too")
                    .with(
                            "query/run/ChunkReads",
                            "failed(pending, reader, chunk, e);",
                            "delivery.take(new Part(attempt.rows(), 0, held.moved())); failed(pending, reader, chunk, e);"),
            new PlantedBug("query memory", 10, SAFETY, "an attempt at a chunk does not give back what it reserved")
                    .with(
                            "query/run/ChunkReads",
                            "try (Reservation held = memory.part()) {",
                            "{ Reservation held = memory.part(); held.reserve(1);"),
            new PlantedBug("merge epoch", 12, SAFETY, "a merge is committed though its writer has a successor")
                    .with(
                            CATALOG,
                            "if (writer == null || writer.epoch() != output.epoch()) {",
                            "if (writer == null) {"),
            new PlantedBug("grace", 12, SAFETY, "files are collected at once")
                    .with(COLLECTOR, "if (nowNanos - since < graceNanos) {", "if (nowNanos < since) {"),
            new PlantedBug("orphans", 12, SAFETY, "files of dead epochs are not collected")
                    .with(
                            COLLECTOR,
                            "if (writer == null || writer.epoch() > Integer.parseInt(name.group(3))) {",
                            "if (writer == null) {"),
            new PlantedBug("idle successor", 3, LIVENESS, "an idle indexer does not look whether it has a successor")
                    .with(INDEXER, "if (!stopped && !successorSeen) {", "if (!stopped && !successorSeen && now < 0) {"),
            new PlantedBug("ring", 6, MEMORY, "room in the ring is made after a segment came")
                    .with(
                            "ingest/dispatch/SegmentRing",
                            "trim(); return !isBeyond(1) || segments.size() <= 1;",
                            "return !isBeyond(1) || segments.isEmpty() || mayDrop(segments.get(0));"),
            new PlantedBug("catch-up budget", 6, MEMORY, "partitions read again without looking at the budget")
                    .with(CATCH_UP_BUDGET, "return used == 0 || used + turnBytes <= bytes;", "return used >= 0;"),
            new PlantedBug("catch-up line", 6, LIVENESS, "the last partition to wait for catch-up is the first")
                    .with(CATCH_UP_BUDGET, "lineOf(turn).add(turn);", "lineOf(turn).addFirst(turn);"),
            new PlantedBug("catch-up turns", 6, LIVENESS, "a partition in catch-up goes on though others wait")
                    .with(CATCH_UP, "if (used && budget.isAwaited()) {", "if (used && bytes < 0) {"),
            new PlantedBug("read credit", 6, MEMORY, "a spout does not look at its credit")
                    .with(LANE, "return granted > sent;", "return true;"),
            new PlantedBug("waiting in read credit", 6, MEMORY, "credit does not count what waits at the dispatcher")
                    .with(
                            READ_WINDOW,
                            "long next = received + Math.max(0, limit - pending);",
                            "long next = received + limit;")
                    .with(DISPATCHER, "!heartbeat && pending.hasRoom()", "!heartbeat"),
            new PlantedBug("cumulative read credit", 6, MEMORY, "a spout adds credit up")
                    .with(
                            LANE,
                            "granted = Math.max(granted, live.granted());",
                            "granted += live.granted() - received;"),
            new PlantedBug("read credit of a life", 6, LIVENESS, "the account of a spout goes on with its successor")
                    .with(READ_WINDOW, "if (batch.life() != life) {", "if (life == 0) {"),
            new PlantedBug("read account", 6, LIVENESS, "a dispatcher counts what came to it, not what was sent")
                    .with(
                            READ_WINDOW,
                            "received = Math.max(received, batch.sent());",
                            "received += batch.records().bytes();")
                    .with(READ_WINDOW, "granted = Math.max(granted, batch.granted());", ""),
            new PlantedBug("read credit again", 6, LIVENESS, "credit for a spout that is lost is not sent again")
                    .with(DISPATCHER, "if (heartbeat && tell) {", "if (heartbeat && tell && now < 0) {"),
            new PlantedBug("read ahead", 6, MEMORY, "a spout reads on though as much as it may waits or is under way")
                    .with("ingest/source/ReadAhead", "return !closed;", "return true;")
                    .with(LANE, "return waiting.isEmpty() && hasCredit()", "return true"),
            new PlantedBug("pool in credit", 6, MEMORY, "credit does not look at the pool")
                    .with(
                            "ingest/indexer/CreditWindow",
                            "long free = Math.max(sharedBytes - taken, Math.min(ownLeft, poolBytes - taken));",
                            "long free = poolBytes;"),
            new PlantedBug("late tree in the view", 9, SAFETY, "late tuples are not in the view")
                    .with(
                            GENERATION,
                            "for (TemplateTree tree : trees) { if (tree != null) { view.add(",
                            "for (TemplateTree tree : trees) { if (tree != null && tree != trees[LATE]) { view.add("),
            new PlantedBug(
                            "late tree at the seal",
                            7,
                            SAFETY,
                            "the late tree is forgotten when its generation is sealed")
                    .with(
                            GENERATION,
                            "if (tree != null) { parts.add(",
                            "if (tree != null && kind != LATE) { parts.add("),
            new PlantedBug("late tree in reports", 8, SAFETY, "reports speak of the main tree only")
                    .with(GENERATION, "if (other != null) { region", "if (other != null && tree == main) { region")
                    .with(
                            GENERATION,
                            "if (tree != null && tree.tuples() > 0 && (region",
                            "if (tree != null && tree == main && tree.tuples() > 0 && (region"),
            new PlantedBug("parts once", 7, SAFETY, "a flush is committed when its first chunk is written")
                    .with(
                            FLUSH,
                            "if (part.tree().tuples() > 0) {",
                            "if (part.tree().tuples() > 0 && written.isEmpty()) {"),
            // Of manifests.
            new PlantedBug("pointer check", 8, SAFETY, "an edit is added under a pointer that has moved")
                    .with(TAIL, "ops.add(new Op.Check(pointerPath(), place.pointerVersion()));", ""),
            new PlantedBug("trim first", 8, SAFETY, "edits are deleted before the pointer holds them")
                    .with(
                            COMPACTION,
                            "long last = rolledUp - kept;",
                            "long last = snapshots.advance(stream).edit() - kept;"),
            new PlantedBug("gap", 8, SAFETY, "a follower skips edits that are deleted")
                    .with(SNAPSHOT, "if (number != edit + 1) {", "if (number <= edit) {")
                    .with(
                            SNAPSHOTS,
                            "StreamSnapshot rolledUp = fromManifest(current);",
                            "Optional<Node> later = Optional.empty(); long number = current.edit() + 1; long next = number;"
                                    + " while (later.isEmpty() && next < number + 50) {"
                                    + " later = store.read(tail.editPath(++next)); }"
                                    + " if (later.isPresent()) { current = current.apply(next,"
                                    + " CatalogJson.readEdit(tail.editPath(next), later.get().data())); continue; }"
                                    + " StreamSnapshot rolledUp = fromManifest(current);"),
            new PlantedBug("manifest's edit", 8, SAFETY, "a manifest is one edit older than its pointer says")
                    .with(
                            COMPACTION,
                            "StreamSnapshot snapshot = snapshots.advance(stream);",
                            "StreamSnapshot snapshot = snapshots.advance(stream); snapshot = snapshot.apply("
                                    + "snapshot.edit() + 1, new Edit.Started(0, snapshot.checkpoints().get(0).epoch()));")
                    .with(COMPACTION, "while (number <= snapshot.edit()) {", "while (number < snapshot.edit()) {")
                    .with(COMPACTION, "snapshot.edit() - number + 1", "snapshot.edit() - number"),
            new PlantedBug("manifest's chunks", 8, SAFETY, "chunks are of an earlier edit than the state beside them")
                    .with(COMPACTION, "while (number <= snapshot.edit()) {", "while (number < snapshot.edit()) {")
                    .with(COMPACTION, "snapshot.edit() - number + 1", "snapshot.edit() - number"),
            new PlantedBug("pointer cas", 8, SAFETY, "the pointer is set without compare-and-set")
                    .with(
                            COMPACTION,
                            "CatalogJson.write(next.next()), next.version())",
                            "CatalogJson.write(next.next()), -1)"),
            new PlantedBug("removed chunks", 11, SAFETY, "a manifest keeps what merges have removed")
                    .with("catalog/state/Edit", "inputs.forEach(changes::remove);", ""),
            new PlantedBug("manifest named", 12, SAFETY, "the collector does not look what the pointer names")
                    .with(COLLECTOR, ".forEach(file -> now.add(file.file()));", ".forEach(file -> {});"),
            new PlantedBug("manifest basis", 12, SAFETY, "files that may be named yet are collected")
                    .with(
                            COLLECTOR,
                            "return version == null || name.group(3) != null"
                                    + " || version > Integer.parseInt(name.group(2));",
                            "return true;"),
            new PlantedBug("manifest orphans", 12, SAFETY, "manifests that were replaced are not collected")
                    .with(
                            COLLECTOR,
                            "return version == null || name.group(3) != null"
                                    + " || version > Integer.parseInt(name.group(2));",
                            "return version == null;"),
            // Of expiry.
            new PlantedBug("expired in trees", 11, SAFETY, "indexers are asked for times before the horizon too")
                    .with(PLAN, "resolved.query(), snapshot.stream().id(),", "query, snapshot.stream().id(),"),
            new PlantedBug("expired in chunks", 11, SAFETY, "chunks that reach across the horizon are read whole")
                    .with(
                            RUN,
                            "reads(plan.resolved(), settles",
                            "reads(ResolvedQuery.of(query, plan.snapshot().stream()), settles"),
            new PlantedBug("all expired", 11, SAFETY, "a query of times before the horizon only is not clipped")
                    .with(
                            "query/plan/ResolvedQuery",
                            "return of(query, snapshot.stream(), planning).ofNoRow();",
                            "return of(query, snapshot.stream(), planning);"),
            new PlantedBug("chunks across", 11, SAFETY, "chunks that begin before the horizon expire whole")
                    .with(
                            SNAPSHOT,
                            "return chunk.region().times().to() < horizon;",
                            "return chunk.region().times().from() < horizon;"),
            new PlantedBug("horizon goes back", 11, SAFETY, "the last horizon holds, not the highest")
                    .with(BUILDER, "horizon = Math.max(horizon, least);", "horizon = least;")
                    .with(EXPIRY, "if (horizon <= snapshot.horizon()) {", "if (horizon == Retention.NO_HORIZON) {")
                    .with(
                            EXPIRY,
                            "due.horizon() - snapshot.horizon() >= retention.millis() / STEPS",
                            "due.horizon() != snapshot.horizon()"),
            new PlantedBug("policy check", 11, SAFETY, "expiry goes by a policy that was changed meanwhile")
                    .with(EXPIRY, "List.of(new Op.Check(path, entry.version()))", "List.of()"),
            new PlantedBug("newest tuple", 11, SAFETY, "the horizon goes by a machine's clock alone")
                    .with(
                            "schema/Retention",
                            "long from = Math.min(clockMillis, newestMillis);",
                            "long from = clockMillis;"),
            new PlantedBug("late flush", 11, SAFETY, "chunks that come after the horizon has passed them are named")
                    .with(BUILDER, "if (!StreamSnapshot.isBefore(horizon, chunk)) {", "if (chunk.tuples() > 0) {"),
            new PlantedBug("manifest's horizon", 11, SAFETY, "a manifest's horizon is not read")
                    .with(MANIFESTS, "horizon = cursor.i64();", "cursor.i64();"),
            // Only in pairs.
            new PlantedBug("repeats, cutting", 4, SAFETY, "repeated blocks are neither dropped nor cut")
                    .and(REPEATS)
                    .and(CUTTING),
            new PlantedBug("subquery epoch, s above mine", 9, SAFETY, "a zombie answers for its successor")
                    .and(SUBQUERY_EPOCH)
                    .and(S_ABOVE),
            new PlantedBug("subquery epoch, floor at start", 9, SAFETY, "a successor answers for its predecessor")
                    .and(SUBQUERY_EPOCH)
                    .with(TREES, "this.floor = flushed;", "this.floor = 0;"),
            new PlantedBug("s-1, checkpoint apart", 7, SAFETY, "no check of s - 1, and the checkpoint read apart")
                    .and(NO_S_CHECK)
                    .and(APART),
            new PlantedBug("gap, account", 5, LIVENESS, "a heartbeat is believed, wherever it stands above")
                    .and(GAP)
                    .and(ACCOUNT),
            new PlantedBug("flush order, s-1", 7, SAFETY, "flushes in any order, and no check of s - 1")
                    .and(ORDER)
                    .and(NO_S_CHECK));

    /** Guards whose absence alone was never seen to matter. */
    static final List<PlantedBug> SECOND_GUARDS = List.of(
            new PlantedBug("tables announced", 1, NONE, "tables are deleted that partitions may adopt yet")
                    .with(ROUTING, "&& (version <= least || isOfOnePartition(version))", ""),
            new PlantedBug("join's reading", 2, NONE, "an indexer that is new begins at limits read long ago")
                    .with(
                            ROUTING,
                            "EditTail.Place place = tail.place(before); List<Op> ops = new ArrayList<>();",
                            "List<Op> ops = new ArrayList<>();")
                    .with(
                            ROUTING,
                            "IndexerCheckpoint start = new IndexerCheckpoint(0, 0, limits, 0);",
                            "tail.refresh(); EditTail.Place place = tail.place();"
                                    + " IndexerCheckpoint start = new IndexerCheckpoint(0, 0, limits, 0);"),
            new PlantedBug("who joins", 1, NONE, "a route forgets versions that one who joins needs")
                    .with(
                            ROUTING,
                            "if (store.children(base + \"/indexers\").equals(indexers)) {",
                            "if (!indexers.isEmpty()) {"),
            REPEATS,
            NO_S_CHECK,
            ORDER,
            new PlantedBug(
                            "catch-up stays",
                            6,
                            NONE,
                            "channels far apart drop each other's records before letters are stored")
                    .with(CATCH_UP, "if (!segments.get(i).unstored().isEmpty()) {", "if (i < 0) {"),
            new PlantedBug("lower channel epochs", 5, NONE, "a dispatcher follows older subscriptions too")
                    .with(
                            OUTGOING,
                            "subscribe.epoch().compareTo(channel.epoch) <= 0",
                            "subscribe.epoch().equals(channel.epoch)"),
            GAP,
            ACCOUNT,
            BEHIND,
            new PlantedBug("idle heartbeat", 5, NONE, "a channel that is idle for long is silent")
                    .with(OUTGOING, "(idleToo || silent < QUICK_NANOS)", "silent < QUICK_NANOS"),
            SUBQUERY_EPOCH,
            S_ABOVE,
            new PlantedBug(
                            "ahead of a start",
                            10,
                            NONE,
                            "an indexer that started since need not reach what it has shown")
                    .with(PLAN, "checkpoint.flushed(), own));", "checkpoint.flushed(), demand));"),
            new PlantedBug("report epoch", 8, NONE, "a predecessor's report excuses")
                    .with(PLAN, "&& report.epoch() == checkpoint.epoch()", ""),
            new PlantedBug("old report version", 8, NONE, "an old report of another routing version excuses")
                    .with(PLAN, "&& settled.version() == snapshot.version()", "&& settled.version() >= 0"),
            new PlantedBug("older routes", 1, NONE, "a dispatcher takes an older copy of its route")
                    .with(DISPATCHER, "if (newer.isBefore(route)) {", "if (newer.isBefore(route) && now < 0) {"));
}
