package io.waterwheel.cli;

import io.waterwheel.cli.input.AppendProgress;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.RecordsSource;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.proposal.FileFacts;
import io.waterwheel.cli.proposal.KafkaColumns;
import io.waterwheel.cli.proposal.ProposalCheck;
import io.waterwheel.cli.proposal.RegisteredRecords;
import io.waterwheel.cli.proposal.SchemaProposal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.TopicSample;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.decode.registry.RegistryAccess;
import io.waterwheel.decode.registry.SchemaRegistry;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Proposes a stream for a topic that is there, from some of its records. */
final class TopicProposal {
    /** Records that are looked at. */
    private static final int RECORDS = 10_000;

    /** The variable of the environment that says where the producers' schema registry is. */
    static final String REGISTRY_VARIABLE = "WATERWHEEL_REGISTRY";

    private static final Duration REGISTRY_PATIENCE = Duration.ofSeconds(10);
    private static final int MOST_SCHEMAS = 10;

    /** Longer ones are not looked at, as lines are not. */
    private static final int MOST_OBJECT_BYTES = 1 << 20;

    /** Of all objects. */
    private static final long MOST_BYTES = 64L << 20;

    /** Records that are tried where none can be read. */
    private static final int MOST_REFUSED = 5;

    /** Kafka's own default. */
    private static final Duration USUAL_RETENTION = Duration.ofDays(7);

    private TopicProposal() {}

    /**
     * The definition, as YAML.
     *
     * @param name of the stream
     * @param columns of CSV records; empty: they are numbered
     * @param registry the address of the schema registry of the topic's producers; null: none is known
     * @param facts what is not guessed
     */
    static String yaml(
            Terminal terminal,
            WaterwheelClient client,
            String topic,
            String name,
            List<String> columns,
            @Nullable String registry,
            FileFacts facts)
            throws IOException {
        TopicSample sample = client.sample(topic, RECORDS);
        if (sample.values().isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_TOPIC,
                    "topic " + topic + " has no records that could be looked at (" + sample.records()
                            + " without a value): write the schema by hand, docs/schema.md has every word");
        }
        if (isOfRegistry(sample)) {
            return ofRegistry(sample, name, registry, facts);
        }
        RecordFormat format = format(sample);
        InputSource source = facts.escape() == null
                ? new RecordsSource("topic " + topic, sample.values())
                : new RecordsSource("topic " + topic, sample.values(), facts.escape());
        SchemaProposal proposal = SchemaProposal.ofRecords(
                source,
                format,
                columns,
                facts,
                KafkaColumns.of(sample.values().size(), sample.keys(), sample.times()),
                RegisteredRecords.Known.NOTHING);
        String yaml = proposal.yaml(name, SchemaProposal.Hints.CREATE);
        String withTopic = withTopic(yaml, topic);
        AppendProgress silent = new AppendProgress(terminal, "records", () -> 0, -1);
        ProposalCheck.Outcome outcome = ProposalCheck.of(
                List.of(source),
                proposal,
                SchemaFile.read("the proposal", withTopic).schema(),
                silent);
        return evidence(sample) + withTopic + misfits(outcome);
    }

    /** The topic where the stream has another name. */
    private static String withTopic(String yaml, String topic) {
        return yaml.replaceFirst("(?m)^(name: .*)$", "$1\ntopic: " + topic);
    }

    /** What is proposed for records whose schemas are in a registry. */
    private static String ofRegistry(TopicSample sample, String name, @Nullable String registry, FileFacts facts)
            throws IOException {
        if (registry == null) {
            throw unreadable(
                    sample,
                    "most begin with a zero byte and the number of a schema, as serialisers with a schema registry write:"
                            + " say where that is, by --registry http://HOST:PORT or the environment's "
                            + REGISTRY_VARIABLE);
        }
        SchemaRegistry asked = new SchemaRegistry(registry, RegistryAccess.ofEnvironment(System::getenv));
        RegisteredRecords records = new RegisteredRecords(asked.waitingUnlessRefused(REGISTRY_PATIENCE));
        List<byte[]> objects = new ArrayList<>();
        String why = "";
        int refused = 0;
        long bytes = 0;
        for (byte[] value : sample.values()) {
            try {
                if (!RegisteredRecords.begins(value)) {
                    throw new MalformedException("a record has no number of a schema");
                }
                byte[] object = records.json(value);
                if (object.length > MOST_OBJECT_BYTES) {
                    throw new MalformedException("a record has over " + MOST_OBJECT_BYTES + " bytes as JSON");
                }
                objects.add(object);
                bytes += object.length;
            } catch (MalformedException e) {
                why = why.isEmpty() ? String.valueOf(e.getMessage()) : why;
                refused++;
            }
            // A registry is asked for two seconds about a number that it lacks: bytes of another kind have many.
            if ((objects.isEmpty() && refused >= MOST_REFUSED) || bytes > MOST_BYTES) {
                break;
            }
        }
        if (objects.isEmpty()) {
            throw unreadable(sample, "none can be read by the schemas of the registry " + registry + ": " + why);
        }
        if (records.formats().size() != 1) {
            throw unreadable(sample, "some are avro and some protobuf, and a stream reads records of one format");
        }
        RegisteredRecords.Known known =
                new RegisteredRecords.Known(records.formats().iterator().next(), registry, records.types());
        InputSource source = new RecordsSource("topic " + sample.topic(), objects);
        SchemaProposal proposal = SchemaProposal.ofRecords(
                source,
                RecordFormat.JSON,
                List.of(),
                facts,
                KafkaColumns.of(sample.values().size(), sample.keys(), sample.times()),
                known);
        String yaml = withTopic(proposal.yaml(name, SchemaProposal.Hints.CREATE), sample.topic());
        StringBuilder schemas = new StringBuilder("# Their schemas, of the registry ").append(registry);
        int shown = 0;
        for (int id : records.schemas()) {
            if (++shown <= MOST_SCHEMAS) {
                List<String> subjects = asked.subjects(id);
                schemas.append(shown == 1 ? ": " : ", ").append(id);
                schemas.append(subjects.isEmpty() ? "" : " of subject " + String.join(" and ", subjects));
            }
        }
        schemas.append(shown > MOST_SCHEMAS ? " and " + (shown - MOST_SCHEMAS) + " more" : "")
                .append(".\n");
        return evidence(sample) + schemas + yaml + misfits(check(sample, proposal, yaml, asked));
    }

    /** How many of the records themselves are no tuples of it. */
    private static ProposalCheck.Outcome check(
            TopicSample sample, SchemaProposal proposal, String yaml, SchemaRegistry registry) {
        StreamDefinition stream = SchemaFile.read("the proposal", yaml);
        RecordDecoder decoder = RecordDecoder.of(stream.format(), stream.schema(), registry.waiting(REGISTRY_PATIENCE));
        TupleBlock into = new TupleBlock(RowLayout.of(stream.schema()), 1);
        KeyMaker keys = KeyMaker.of(into.layout(), stream.schema());
        long rows = 0;
        long misfits = 0;
        String first = "";
        for (byte[] value : sample.values()) {
            rows++;
            into.clear();
            @Nullable String[] why = {null};
            try {
                decoder.decode(ByteBuffer.wrap(value), proposal.facts(), into);
                int unused = keys.fill(into, 0, (row, reason) -> why[0] = reason);
            } catch (RejectedRecordException e) {
                why[0] = String.valueOf(e.getMessage());
            }
            if (why[0] != null) {
                misfits++;
                first = first.isEmpty() ? "topic " + sample.topic() + ", line " + rows + ": " + why[0] : first;
            }
        }
        return new ProposalCheck.Outcome(
                rows, rows, 0, misfits, first, Map.of(), false, Map.of(), Set.of(), Set.of(), List.of(), 0, "");
    }

    private static String evidence(TopicSample sample) {
        StringBuilder said = new StringBuilder("# Topic ")
                .append(sample.topic())
                .append(" has ")
                .append(sample.partitions())
                .append(sample.partitions() == 1 ? " partition. " : " partitions. ")
                .append(
                        !sample.all()
                                ? "The first and the newest of each were looked at: " + sample.records() + " records"
                                : sample.records() == 1
                                        ? "Its one record was looked at"
                                        : "All " + sample.records() + " records were looked at")
                .append(".\n");
        Instant oldest = sample.times().stream().min(Comparator.naturalOrder()).orElse(Instant.MAX);
        if (oldest.isBefore(Instant.now().minus(USUAL_RETENTION))) {
            said.append("# Some are of ")
                    .append(oldest.truncatedTo(ChronoUnit.SECONDS))
                    .append(": Kafka deletes records by their times, ")
                    .append(USUAL_RETENTION.toDays())
                    .append(" days behind them as a rule, perhaps before the stream has them as rows. retention.ms=-1"
                            + " of the topic keeps them.\n");
        }
        if (sample.withoutValue() > 0) {
            said.append("# ").append(sample.withoutValue()).append(" have no value: they will be dead letters.\n");
        }
        return said.toString();
    }

    private static String misfits(ProposalCheck.Outcome outcome) {
        if (outcome.misfits() == 0) {
            return "# All records that were looked at are tuples of it.\n";
        }
        return String.format(
                Locale.ROOT,
                "# %,d of %,d records are no tuples of it and will be dead letters, the first: %s%n",
                outcome.misfits(),
                outcome.rows(),
                outcome.first().replaceFirst(", line (\\d+):", ", record $1 that was looked at:"));
    }

    private static boolean isOfRegistry(TopicSample sample) {
        long registry =
                sample.values().stream().filter(RegisteredRecords::begins).count();
        return registry > sample.values().size() / 2;
    }

    /** What most records are. */
    private static RecordFormat format(TopicSample sample) {
        long objects = 0;
        long text = 0;
        for (byte[] value : sample.values()) {
            if (RecordsSource.isText(value)) {
                text++;
                objects += RecordsSource.startsObject(value) ? 1 : 0;
            }
        }
        int most = sample.values().size() / 2;
        if (text <= most) {
            throw unreadable(
                    sample,
                    (sample.values().size() - text) + " are no text in UTF-8: they are neither CSV nor"
                            + " JSON. Tuple blocks are of a stream that has a schema already: 'waterwheel stream describe'");
        }
        return objects > most ? RecordFormat.JSON : RecordFormat.CSV;
    }

    private static WaterwheelException unreadable(TopicSample sample, String why) {
        return new WaterwheelException(
                ErrorCode.BAD_TOPIC,
                "topic " + sample.topic() + ": of " + sample.values().size() + " records " + why);
    }
}
