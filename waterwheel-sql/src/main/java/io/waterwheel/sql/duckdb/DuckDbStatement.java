package io.waterwheel.sql.duckdb;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.CanonicalText;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.exec.Narrowed;
import io.waterwheel.sql.exec.ResidualExecutor.Asker;
import io.waterwheel.sql.exec.ResidualExecutor.LeafReader;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One statement, seen from the parent of DuckDB's process. Run by one thread. */
final class DuckDbStatement {
    private static final Logger LOG = LoggerFactory.getLogger(DuckDbStatement.class);
    /** Values of one table that narrow a leaf, at most; and their bytes, of which a whole number has eight. */
    private static final int MOST_VALUES = 8192;

    /** Values of one column by which rows are tested here, at most: 4 MiB of memory while the statement runs. */
    private static final int MOST_TESTED = 1 << 18;

    private static final int MOST_BYTES = 65_536;
    /** Of all values that narrow one leaf: its query is a message of bounded length. */
    private static final int MOST_BYTES_OF_A_LEAF = 4 * MOST_BYTES;

    /** Of groups that a leaf cannot have, where its tuples can be read. */
    private static final Set<ErrorCode> TOO_LARGE = Set.of(
            ErrorCode.INTEGER_OVERFLOW,
            ErrorCode.QUERY_MEMORY,
            ErrorCode.TOO_MANY_GROUPS,
            ErrorCode.SPILL_FULL,
            ErrorCode.SPILL_BUSY,
            ErrorCode.SPILL_FAILED);

    private final SocketChannel channel;
    private final ResidualPlan plan;
    private final LeafReader leaves;
    private final Asker asker;
    private final int sampled;
    /** Names of the tables that are whole. */
    private final Set<String> made = new HashSet<>();
    /** By table and column of those that are handed over from here, their values. */
    private final Map<String, Map<Integer, ColumnValues>> gathered = new HashMap<>();

    /** Those of the table that is handed over now. */
    private List<ColumnValues> gathering = List.of();

    /** Which of its rows are. */
    private KeptRows kept = KeptRows.all();

    private byte[] encoded = {};
    /** Whether no row that was handed over has a double so great that sums of such may be infinite. */
    private boolean finite = true;

    /** Of the leaf that is read now. */
    private int narrowingBytes;

    /** @param sampled tuples of a leaf that are looked at before its groups are asked for */
    DuckDbStatement(SocketChannel channel, ResidualPlan plan, LeafReader leaves, Asker asker, int sampled) {
        this.sampled = sampled;
        this.channel = channel;
        this.plan = plan;
        this.leaves = leaves;
        this.asker = asker;
    }

    /** Ends the connection, and so the statement, once it is cancelled or late. Called on another thread. */
    void endWhenUnwanted() {
        if (asker.cancelled() || isLate()) {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private boolean isLate() {
        return System.nanoTime() - asker.deadlineNanos() > 0;
    }

    /** A block could not be sent to the process, in the middle of what the engine does. */
    private static final class NotSent extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final IOException reason;

        NotSent(IOException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    void run() throws InterruptedException {
        try {
            for (int system = 0; system < plan.systems().size(); system++) {
                readSystem(system);
            }
            for (int number = 0; number < plan.sides().size(); number++) {
                make(Message.Kind.SIDE, number, plan.sides().get(number));
                made.add(ResidualPlan.sideTable(number));
            }
            for (int leaf : order()) {
                read(leaf);
                made.add(ResidualPlan.table(leaf));
            }
            for (int number = 0; number < plan.regions().size(); number++) {
                make(Message.Kind.REGIONS, number, plan.regions().get(number));
            }
            answer();
        } catch (IOException e) {
            throw failure(e);
        } catch (NotSent e) {
            throw failure(e.reason);
        }
    }

    /** First the leaves that are likely to be small: those after them may be narrowed by what they hold. */
    private List<Integer> order() {
        return IntStream.range(0, plan.leaves().size())
                .boxed()
                .sorted(Comparator.comparingInt(leaf -> size(plan.leaves().get(leaf))))
                .toList();
    }

    private static int size(ResidualPlan.Leaf leaf) {
        // Of groups that are merged again there may be as many as tuples.
        Query query = leaf.singles() == null ? leaf.query() : leaf.singles().query();
        boolean few = query.result() instanceof ResultSpec.Rows rows ? rows.limit() != Query.NO_LIMIT : true;
        return few ? 0 : query.where() != null || query.shape() != null ? 1 : 2;
    }

    private void read(int number) throws IOException, InterruptedException {
        ResidualPlan.Leaf leaf = plan.leaves().get(number);
        Query query = leaf.query();
        narrowingBytes = 0;
        ResidualPlan.Leaf tuples = leaf.singles() == null ? leaf : leaf.singles();
        KeptRows tested = KeptRows.all();
        Map<Expression, Long> listed = new HashMap<>();
        for (ResidualPlan.Narrowing narrowing : plan.narrowings()) {
            if (narrowing.to() == number && made.contains(narrowing.from())) {
                Query before = query;
                query = narrowed(before, narrowing);
                ColumnValues values = gathered(narrowing);
                if (query.equals(before) && values != null && !values.tooMany()) {
                    tested = tested.and(tuples, narrowing, values);
                } else if (values != null && !values.tooMany()) {
                    listed.merge(narrowing.value(), (long) values.count(), Math::min);
                }
            }
        }
        if (leaf.singles() == null) {
            readAs(number, leaf, query, tested);
        } else {
            readGroups(number, leaf, leaf.singles(), query.where(), tested, mostGroups(leaf.query(), listed));
        }
        Message.of(Message.Kind.TABLE_ENDS, out -> {}).write(channel);
    }

    /** Groups that there can be, where the query is narrowed to some values of each of their columns. */
    private static long mostGroups(Query groups, Map<Expression, Long> listed) {
        long most = 1;
        for (NamedExpression group : ((ResultSpec.Aggregates) groups.result()).groupBy()) {
            Long values = listed.get(group.expression());
            if (values == null || most > MOST_VALUES) {
                return Long.MAX_VALUE;
            }
            most *= values;
        }
        return most;
    }

    private void readAs(int number, ResidualPlan.Leaf leaf, Query query, KeptRows rows)
            throws IOException, InterruptedException {
        begin(ResidualPlan.table(number), leaf.fields(), leaf.places());
        kept = rows;
        leaves.read(number, query, this::send);
    }

    /**
     * Reads groups that are merged again. First some tuples, each as a group of its own: if there are no more, that is
     * the table; and if nearly each has a key of its own, all are read so, for their groups would be as many, and cost
     * the engine their memory. So they are read where there are too many groups for the engine, or a sum of one exceeds
     * 64 bits, which that of the statement need not. Where there can only be few groups, no tuples are looked at.
     *
     * @param most groups that there can be
     */
    private void readGroups(
            int number,
            ResidualPlan.Leaf groups,
            ResidualPlan.Leaf singles,
            @Nullable Expression where,
            KeptRows tested,
            long most)
            throws IOException, InterruptedException {
        Query each = singles.query().toBuilder().where(where).build();
        boolean repeats = KeySample.repeats(most, sampled);
        if (!repeats) {
            KeySample sample = new KeySample(
                    ((ResultSpec.Aggregates) groups.query().result()).groupBy().size());
            begin(ResidualPlan.table(number), singles.fields(), singles.places());
            kept = tested;
            leaves.read(number, each.withLimit(sampled), block -> {
                sample.add(block);
                send(block);
            });
            if (sample.tuples() < sampled) {
                return;
            }
            repeats = sample.repeats();
        }
        if (repeats) {
            try {
                readAs(number, groups, groups.query().toBuilder().where(where).build(), KeptRows.all());
                return;
            } catch (WaterwheelException e) {
                if (TOO_LARGE.stream().noneMatch(e::is)) {
                    throw e;
                }
                LOG.info("a leaf of '{}' is read as tuples, not as groups: {}", each.stream(), e.toString());
            }
        }
        readAs(number, singles, each, tested);
    }

    private void readSystem(int number) throws IOException {
        ResidualPlan.SystemLeaf system = plan.systems().get(number);
        List<Integer> all = IntStream.range(0, system.fields().size()).boxed().toList();
        begin(ResidualPlan.systemTable(number), system.fields(), all);
        leaves.readSystem(system.name(), this::send);
        Message.of(Message.Kind.TABLE_ENDS, out -> {}).write(channel);
    }

    private void begin(String table, List<Field> fields, List<Integer> places) throws IOException {
        // Where it is begun anew, its values are too.
        Map<Integer, ColumnValues> columns = new HashMap<>();
        for (ResidualPlan.Narrowing narrowing : plan.narrowings()) {
            // What is read already is narrowed no longer.
            boolean narrows = narrowing.from().equals(table) && !made.contains(ResidualPlan.table(narrowing.to()));
            int place = narrows ? places.get(narrowing.column()) : -1;
            if (place >= 0 && ColumnValues.gathers(fields.get(place).type())) {
                columns.put(narrowing.column(), new ColumnValues(place, MOST_TESTED));
            }
        }
        gathered.put(table, columns);
        gathering = List.copyOf(columns.values());
        kept = KeptRows.all();
        Message.of(Message.Kind.TABLE, out -> {
                    out.writeUTF(table);
                    RowFields.write(fields, out);
                    out.writeInt(places.size());
                    for (int place : places) {
                        out.writeInt(place);
                    }
                })
                .write(channel);
    }

    private void send(TupleBlock read) {
        TupleBlock block = kept.of(read);
        for (ColumnValues values : gathering) {
            values.add(block);
        }
        finite = finite && isFinite(block);
        int length = BlockCodec.encodedBytes(block, false);
        if (encoded.length < length) {
            encoded = new byte[length + length / 4];
        }
        BlockCodec.encode(block, false, encoded, 0);
        try {
            Message.write(channel, Message.Kind.ROWS, encoded, length);
        } catch (IOException e) {
            throw new NotSent(e);
        }
    }

    /** Whether no double is greater than those whose sums are finite; what stands where one is null counts too. */
    private static boolean isFinite(TupleBlock block) {
        RowLayout layout = block.layout();
        double greatest = 0;
        for (int f = 0; f < layout.fields().size(); f++) {
            PhysicalType type = layout.fields().get(f).type().physical();
            byte[] bytes = block.column(layout.columnOf(f));
            for (int row = 0; row < block.size() && type == PhysicalType.FLOAT64; row++) {
                // The greater of NaN and a number is NaN.
                greatest = Math.max(greatest, Math.abs(LittleEndian.getDouble(bytes, row * 8)));
            }
            for (int row = 0; row < block.size() && type == PhysicalType.FLOAT32; row++) {
                greatest = Math.max(greatest, Math.abs(LittleEndian.getFloat(bytes, row * 4)));
            }
        }
        return greatest <= ResidualPlan.MOST_FINITE;
    }

    /**
     * The query of the rows alone that have one of the values that the other table has, where these are few, and the
     * condition is within the bounds of one.
     */
    private Query narrowed(Query query, ResidualPlan.Narrowing narrowing) throws IOException {
        if (narrowingBytes > MOST_BYTES_OF_A_LEAF) {
            return query;
        }
        List<Expression.Literal> values = values(narrowing);
        if (values == null) {
            return query;
        }
        Expression where = Narrowed.where(query.where(), narrowing.value(), values);
        try {
            where.requireLimits();
        } catch (WaterwheelException tooLarge) {
            LOG.debug("a leaf of '{}' is not narrowed further", query.stream(), tooLarge);
            return query;
        }
        return query.toBuilder().where(where).build();
    }

    private @Nullable List<Expression.Literal> values(ResidualPlan.Narrowing narrowing) throws IOException {
        ColumnValues known = gathered(narrowing);
        if (known != null) {
            List<Expression.Literal> values = known.tooMany() || known.count() > MOST_VALUES ? null : known.literals();
            narrowingBytes += values == null ? 0 : values.size() * Long.BYTES;
            return values;
        }
        return asked(narrowing);
    }

    /** The values that were gathered here; null where these are asked for. */
    private @Nullable ColumnValues gathered(ResidualPlan.Narrowing narrowing) {
        return gathered.getOrDefault(narrowing.from(), Map.of()).get(narrowing.column());
    }

    /** Asks DuckDB for the values. */
    private @Nullable List<Expression.Literal> asked(ResidualPlan.Narrowing narrowing) throws IOException {
        boolean whole = narrowing.type() == ValueType.INTEGER;
        Message.of(Message.Kind.VALUES, out -> {
                    out.writeUTF(narrowing.from());
                    out.writeUTF("c" + narrowing.column());
                    out.writeBoolean(whole);
                    out.writeInt(MOST_VALUES);
                    out.writeInt(MOST_BYTES);
                })
                .write(channel);
        Message answer = received(Message.Kind.VALUES);
        DataInputStream in = answer.in();
        int count = in.readInt();
        if (count < 0) {
            return null;
        }
        narrowingBytes += answer.body().length;
        List<Expression.Literal> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Expression.Literal value =
                    whole ? new Expression.Whole(in.readLong()) : literal(text(in), narrowing.type());
            if (value != null) {
                values.add(value);
            }
        }
        return values;
    }

    /** Null when no row can have it. */
    private static Expression.@Nullable Literal literal(String text, ValueType type) {
        return type == ValueType.STRING ? new Expression.Text(text) : CanonicalText.literal(type, text);
    }

    private static String text(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("a text of " + length + " bytes");
        }
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    /** Has a table made, and waits for it: what is sent meanwhile would hide the end of the connection. */
    private void make(Message.Kind kind, int number, String select) throws IOException {
        Message.of(kind, out -> {
                    out.writeInt(number);
                    out.write(select.getBytes(StandardCharsets.UTF_8));
                })
                .write(channel);
        Message unused = received(kind);
    }

    private void answer() throws IOException {
        Message.of(Message.Kind.SELECT, out -> {
                    RowFields.write(plan.fields(), out);
                    String text = finite ? plan.finiteText() : plan.text();
                    out.write(text.getBytes(StandardCharsets.UTF_8));
                })
                .write(channel);
        TupleBlock block = new TupleBlock(RowLayout.ofFields(plan.fields()), 0);
        for (Message message = read(); message.kind() != Message.Kind.ANSWER_ENDS; message = read()) {
            if (message.kind() != Message.Kind.ROWS) {
                throw new IOException("a message " + message.kind() + " in an answer");
            }
            block.clear();
            BlockCodec.decode(message.body(), 0, message.body().length, block);
            asker.take(block);
        }
    }

    private Message received(Message.Kind kind) throws IOException {
        Message message = read();
        if (message.kind() != kind) {
            throw new IOException("a message " + message.kind() + " in place of " + kind);
        }
        return message;
    }

    private Message read() throws IOException {
        Message message = Message.read(channel);
        if (message.kind() == Message.Kind.FAILURE) {
            throw DuckDbErrors.of(new String(message.body(), StandardCharsets.UTF_8), plan);
        }
        return message;
    }

    /** What an end of the connection means. */
    private WaterwheelException failure(IOException cause) throws InterruptedException {
        if (cause instanceof ClosedByInterruptException interrupt) {
            throw DuckDbExecutor.interrupted(interrupt);
        } else if (asker.cancelled()) {
            return new WaterwheelException(ErrorCode.CANCELLED, "the statement was cancelled", cause);
        } else if (isLate()) {
            return new WaterwheelException(
                    ErrorCode.TIMEOUT, "the statement was not answered within its timeout", cause);
        }
        try {
            // What was written may have failed because the process gave the statement up, and said why.
            while (true) {
                if (read().kind() == Message.Kind.ANSWER_ENDS) {
                    break;
                }
            }
        } catch (IOException e) {
            cause.addSuppressed(e);
        } catch (WaterwheelException told) {
            return told;
        }
        return new WaterwheelException(
                ErrorCode.SQL_EXECUTOR_ENDED,
                "DuckDB's process has ended while it answered the statement: " + cause.getMessage(),
                cause);
    }
}
