package io.waterwheel.cli;

import io.waterwheel.cli.input.AppendProgress;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.RecordsSource;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.proposal.FileFacts;
import io.waterwheel.cli.proposal.KafkaColumns;
import io.waterwheel.cli.proposal.ProposalCheck;
import io.waterwheel.cli.proposal.SchemaProposal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.TopicSample;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.SchemaFile;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** Proposes a stream for a topic that is there, from some of its records. */
final class TopicProposal {
    /** Records that are looked at. */
    private static final int RECORDS = 10_000;

    /** Before a record that a serialiser of a schema registry wrote; the id of its schema follows in four bytes. */
    private static final byte REGISTRY_MAGIC = 0;

    private static final int REGISTRY_PREFIX = 5;

    private TopicProposal() {}

    /**
     * The definition, as YAML.
     *
     * @param name of the stream
     * @param columns of CSV records; empty: they are numbered
     * @param facts what is not guessed
     */
    static String yaml(
            Terminal terminal,
            WaterwheelClient client,
            String topic,
            String name,
            List<String> columns,
            FileFacts facts)
            throws IOException {
        TopicSample sample = client.sample(topic, RECORDS);
        if (sample.values().isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_TOPIC,
                    "topic " + topic + " has no records that could be looked at (" + sample.records()
                            + " without a value): write the schema by hand, docs/schema.md has every word");
        }
        RecordFormat format = format(sample);
        InputSource source = facts.escape() == null
                ? new RecordsSource("topic " + topic, sample.values())
                : new RecordsSource("topic " + topic, sample.values(), facts.escape());
        SchemaProposal proposal = SchemaProposal.ofRecords(
                source, format, columns, facts, KafkaColumns.of(sample.values().size(), sample.keys(), sample.times()));
        String yaml = proposal.yaml(name, SchemaProposal.Hints.CREATE);
        // The topic where the stream has another name.
        String withTopic = yaml.replaceFirst("(?m)^(name: .*)$", "$1\ntopic: " + topic);
        AppendProgress silent = new AppendProgress(terminal, "records", () -> 0, -1);
        ProposalCheck.Outcome outcome = ProposalCheck.of(
                List.of(source),
                proposal,
                SchemaFile.read("the proposal", withTopic).schema(),
                silent);
        return evidence(sample) + withTopic + misfits(outcome);
    }

    private static String evidence(TopicSample sample) {
        StringBuilder said = new StringBuilder("# Topic ")
                .append(sample.topic())
                .append(" has ")
                .append(sample.partitions())
                .append(sample.partitions() == 1 ? " partition. " : " partitions. ")
                .append(sample.all() ? "All " : "The first and the newest of each were looked at: ")
                .append(sample.records())
                .append(sample.all() ? " records were looked at" : " records")
                .append(".\n");
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

    /** What most records are. */
    private static RecordFormat format(TopicSample sample) {
        long objects = 0;
        long registry = 0;
        long text = 0;
        for (byte[] value : sample.values()) {
            if (value[0] == REGISTRY_MAGIC && value.length > REGISTRY_PREFIX) {
                registry++;
            } else if (RecordsSource.isText(value)) {
                text++;
                objects += RecordsSource.startsObject(value) ? 1 : 0;
            }
        }
        int most = sample.values().size() / 2;
        if (registry > most) {
            throw unreadable(
                    sample,
                    registry + " begin with a zero byte and four more, as serialisers with a schema"
                            + " registry write: a stream takes such records in Avro with format: avro and"
                            + " records: {registry: ADDRESS} (docs/formats.md); no schema is proposed for them");
        }
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
