package io.waterwheel.topology.sql;

import io.waterwheel.catalog.TableCatalog;
import io.waterwheel.catalog.state.FileTable;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.NearestName;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.SystemTable;
import io.waterwheel.sql.change.Change;
import io.waterwheel.sql.duckdb.CsvCheck;
import io.waterwheel.sql.duckdb.FileSelects;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables of files, which lie in one folder of the coordinator's machine. A statement reads the files that it names, as
 * they are then. Thread-safe; blocks.
 */
final class FileTables {
    private static final Logger LOG = LoggerFactory.getLogger(FileTables.class);
    private static final String NONE = "none";
    /** As many as a row of an answer may have. */
    private static final int MOST_COLUMNS = 64;

    private final KnownEntries<FileTable> known;
    private final TableCatalog catalog;
    private final @Nullable Path folder;
    private final long mostBytes;

    /**
     * The tables.
     *
     * @param folder an absolute path; or {@code none}
     * @param mostBytes of a file
     */
    FileTables(TableCatalog catalog, KnownEntries<FileTable> known, String folder, long mostBytes) {
        this.catalog = catalog;
        this.known = known;
        this.folder = folder(folder);
        this.mostBytes = mostBytes;
    }

    /** The folder that a value of the key names; null for none. */
    static @Nullable Path folder(String value) {
        return value.equals(NONE) ? null : Path.of(value).toAbsolutePath().normalize();
    }

    /** All tables, as statements name them. */
    List<SystemTable> all() {
        return known.all().values().stream().map(this::table).toList();
    }

    /** The table of this name, in other letters perhaps; null when there is none, or no folder. */
    @Nullable
    SystemTable table(String name) {
        FileTable table = folder == null ? null : known.find(name);
        return table == null ? null : table(table);
    }

    private SystemTable table(FileTable table) {
        List<Field> fields = new ArrayList<>();
        List<FileSelects.Column> columns = new ArrayList<>();
        for (FileTable.Column column : table.columns()) {
            fields.add(new Field(column.name(), column.type(), true));
            columns.add(new FileSelects.Column(column.source(), column.type()));
        }
        Path file = folder == null ? Path.of(table.file()) : folder.resolve(table.file());
        return new SystemTable(
                SystemTables.STREAMS,
                table.name(),
                fields,
                new SystemTable.File(table.file(), FileSelects.select(file, columns)));
    }

    /** The table of this name, in other letters perhaps; null when there is none. */
    @Nullable
    FileTable find(String name) {
        return known.find(name);
    }

    /** The text of a plan without the folder, which is nothing to who asks. */
    String shown(String text) {
        return folder == null
                ? text
                : text.replace(folder + folder.getFileSystem().getSeparator(), "");
    }

    /**
     * Checks the files that a statement reads.
     *
     * @throws WaterwheelException code BAD_REQUEST when one may not be read
     */
    void require(List<String> files) {
        files.forEach(this::resolved);
    }

    /** A file in the folder, that links do not lead out of. */
    private Path resolved(String file) {
        if (folder == null) {
            throw refused(file, "no folder of files is set: set sql.tables on the coordinators' machines");
        }
        try {
            Path relative = Path.of(file);
            Path path = folder.resolve(relative).normalize();
            if (relative.isAbsolute() || !path.equals(folder.resolve(relative)) || file.matches(".*[*?\\[\\]{}].*")) {
                throw refused(file, "expected a path within the folder of sql.tables, such as 'airports.csv'");
            } else if (FileSelects.KINDS.stream()
                    .noneMatch(end -> file.toLowerCase(Locale.ROOT).endsWith(end))) {
                throw refused(file, "expected a name that ends with one of " + String.join(", ", FileSelects.KINDS));
            } else if (!Files.isRegularFile(path)) {
                throw refused(file, "there is no such file in the folder of sql.tables on the coordinator's machine");
            } else if (!path.toRealPath().equals(folder.toRealPath().resolve(relative))) {
                // What is opened is what was checked.
                throw refused(file, "expected no links below the folder of sql.tables");
            } else if (Files.size(path) > mostBytes) {
                throw refused(
                        file,
                        "it has " + Files.size(path) + " bytes, expected at most " + mostBytes
                                + " (sql.table-size); append it to a stream");
            }
            return path;
        } catch (InvalidPathException | IOException e) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST, "statement: file '" + file + "' cannot be read: " + e.getMessage(), e);
        }
    }

    private static WaterwheelException refused(String file, String why) {
        return new WaterwheelException(ErrorCode.BAD_REQUEST, "statement: file '" + file + "': " + why);
    }

    /**
     * Makes a table.
     *
     * @param sink of the statement
     */
    String create(
            Change.CreateTable change, KnownStreams streams, ResidualExecutor executor, long deadline, ColumnSink sink)
            throws InterruptedException {
        String name = change.stream();
        if (!Field.isName(name)) {
            throw wrong(name, "expected a name of letters, digits and underscores");
        } else if (streams.find(streams.nameOf(name)) != null) {
            throw wrong(name, "there is a stream of that name");
        } else if (streams.views().find(name) != null) {
            throw wrong(name, "there is a view of that name");
        }
        FileTable before = known.find(name);
        if (before != null && change.ifNotExists()) {
            return "table " + before.name() + " exists";
        }
        String kept = before == null ? name : before.name();
        Path file = resolved(change.file());
        requireRows(change.file(), file, () -> sink.cancelled() || System.nanoTime() - deadline > 0);
        List<FileTable.Column> columns;
        try {
            columns = columns(kept, file, executor, deadline, sink);
        } catch (WaterwheelException e) {
            String message = String.valueOf(e.getMessage());
            throw shown(message).equals(message)
                    ? e
                    : new WaterwheelException(ErrorCode.valueOf(e.code()), shown(message), e);
        }
        FileTable table = new FileTable(kept, change.file(), columns);
        boolean unused = known.change(() -> {
            catalog.create(table, change.replace());
            return true;
        });
        LOG.info(
                "[tables] table {} {} by {}: {}",
                kept,
                before == null ? "created" : "replaced",
                sink.client(),
                change.file());
        return "table " + kept + (before == null ? " created" : " replaced");
    }

    /**
     * Checks that each row of a file of CSV has a value for each name.
     *
     * @param stopped whether to leave the rest unread
     */
    static void requireRows(String name, Path file, BooleanSupplier stopped) {
        String ending = name.toLowerCase(Locale.ROOT);
        if (ending.endsWith(".parquet")) {
            return;
        }
        try (InputStream raw = Files.newInputStream(file);
                InputStream text = ending.endsWith(".gz") ? new GZIPInputStream(raw) : raw) {
            String problem = CsvCheck.problem(text, stopped);
            if (problem != null) {
                throw new WaterwheelException(ErrorCode.SQL_VALUE, "statement: file '" + name + "': " + problem);
            }
        } catch (IOException e) {
            // The message of a file system is the file's whole path.
            String why = e instanceof AccessDeniedException
                    ? "permission denied"
                    : e instanceof FileSystemException refused
                            ? Objects.requireNonNullElse(refused.getReason(), "the file system refuses it")
                            : String.valueOf(e.getMessage());
            throw new WaterwheelException(
                    ErrorCode.SQL_VALUE, "statement: file '" + name + "' cannot be read: " + why, e);
        }
        if (stopped.getAsBoolean()) {
            // What was not looked at becomes no table.
            throw new WaterwheelException(
                    ErrorCode.CANCELLED, "statement: file '" + name + "' was not read to its end in time");
        }
    }

    private static WaterwheelException wrong(String table, String why) {
        return new WaterwheelException(ErrorCode.BAD_SQL, "statement: table " + table + ": " + why);
    }

    /** Asks DuckDB for the columns of a file. */
    private static List<FileTable.Column> columns(
            String table, Path file, ResidualExecutor executor, long deadline, ColumnSink sink)
            throws InterruptedException {
        List<Field> fields = List.of(new Field("c0", FieldType.STRING, true), new Field("c1", FieldType.STRING, true));
        ResidualPlan plan = new ResidualPlan(
                List.of(),
                List.of(),
                List.of(file.toString()),
                List.of(),
                List.of(),
                FileSelects.describe(file),
                fields,
                List.of("name", "type"),
                List.of());
        Described described = new Described(table, deadline, sink);
        executor.execute(plan, described, described);
        if (described.columns.isEmpty() || described.columns.size() > MOST_COLUMNS) {
            throw wrong(table, "its file has " + described.columns.size() + " columns, expected 1 to " + MOST_COLUMNS);
        }
        return described.columns;
    }

    private static final class Described implements ResidualExecutor.LeafReader, ResidualExecutor.Asker {
        private final String table;
        private final long deadline;
        private final ColumnSink sink;
        private final List<FileTable.Column> columns = new ArrayList<>();
        private final Set<String> names = new HashSet<>();

        Described(String table, long deadline, ColumnSink sink) {
            this.table = table;
            this.deadline = deadline;
            this.sink = sink;
        }

        @Override
        public void read(int leaf, Query query, ResidualExecutor.Rows rows) {
            throw new IllegalStateException("there are no leaves");
        }

        @Override
        public void take(TupleBlock rows) {
            for (int row = 0; row < rows.size(); row++) {
                String source = String.valueOf(rows.value(0, row));
                String type = String.valueOf(rows.value(1, row));
                FieldType field = source.indexOf('\0') >= 0 ? null : FileSelects.field(type);
                if (field == null) {
                    throw wrong(
                            table,
                            "column '" + source + "' is of type " + type
                                    + "; numbers, texts, booleans, bytes, days and times are read");
                }
                columns.add(new FileTable.Column(name(source), source, field));
            }
        }

        /** Letters, digits and underscores; none twice, in whatever letters. */
        private String name(String source) {
            String plain = source.strip().replaceAll("[^A-Za-z0-9_]", "_");
            String first = plain.isEmpty() || Character.isDigit(plain.charAt(0)) ? "_" + plain : plain;
            String name = first;
            for (int n = 2; !names.add(name.toLowerCase(Locale.ROOT)); n++) {
                name = first + "_" + n;
            }
            return name;
        }

        @Override
        public boolean cancelled() {
            return sink.cancelled();
        }

        @Override
        public long deadlineNanos() {
            return deadline;
        }
    }

    boolean has(String written) {
        return known.find(written) != null;
    }

    /** Drops a table; its file stays. */
    String drop(Change.DropTable change, KnownStreams streams, String client) {
        FileTable table = known.find(change.stream());
        String name = table == null ? change.stream() : table.name();
        boolean dropped = known.change(() -> catalog.drop(name));
        if (dropped) {
            LOG.info("[tables] table {} dropped by {}", name, client);
            return "table " + name + " dropped";
        } else if (change.ifExists()) {
            return "there is no table " + name;
        }
        String otherwise = streams.otherwise(name);
        throw new WaterwheelException(
                ErrorCode.NO_SUCH_TABLE,
                "statement: there is no table '" + name + "'"
                        + (otherwise.isEmpty()
                                ? NearestName.question(name, known.all().keySet())
                                : otherwise));
    }

    void close() {
        known.close();
    }
}
