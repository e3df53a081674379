package io.waterwheel.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Statistics;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/**
 * An explanation as one line of JSON, for programs. Members are named as the components of {@link Explanation}; times
 * are nanoseconds, but for those of tuples, which are milliseconds since 1970.
 */
public final class ExplanationJson {
    private final JsonGenerator json;

    private ExplanationJson(JsonGenerator json) {
        this.json = json;
    }

    /** Without a line end. */
    public static String of(Explanation explanation) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = new JsonFactory().createGenerator(text)) {
            generator.writeStartObject();
            writeMembers(generator, explanation);
            generator.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a text in memory could not be written", e);
        }
        return text.toString();
    }

    /** The members of the object, in one that is open. */
    public static void writeMembers(JsonGenerator generator, Explanation explanation) throws IOException {
        new ExplanationJson(generator).write(explanation);
    }

    private void write(Explanation explanation) throws IOException {
        asked(explanation.asked());
        Explanation.Chunks chunks = explanation.chunks();
        json.writeObjectFieldStart("chunks");
        json.writeNumberField("total", chunks.total());
        pruned(chunks.pruned());
        json.writeNumberField("toRead", chunks.toRead());
        json.writeNumberField("tuples", chunks.tuples());
        json.writeNumberField("bytes", chunks.bytes());
        json.writeEndObject();
        Explanation.Indexers indexers = explanation.indexers();
        json.writeObjectFieldStart("indexers");
        json.writeNumberField("total", indexers.total());
        json.writeNumberField("byKeys", indexers.byKeys());
        json.writeNumberField("byReports", indexers.byReports());
        json.writeArrayFieldStart("asked");
        for (int indexer : indexers.asked()) {
            json.writeNumber(indexer);
        }
        json.writeEndArray();
        json.writeEndObject();
        json.writeObjectFieldStart("cost");
        json.writeNumberField("tuples", explanation.cost().tuples());
        json.writeStringField("lane", explanation.cost().lane());
        json.writeEndObject();
        if (explanation.analysis() != null) {
            analysis(explanation.analysis());
        }
    }

    private void asked(Explanation.Asked asked) throws IOException {
        json.writeObjectFieldStart("asked");
        json.writeNumberField("edit", asked.edit());
        json.writeArrayFieldStart("keys");
        for (Explanation.KeySpan keys : asked.keys()) {
            json.writeStartObject();
            json.writeNumberField("low", keys.low());
            json.writeNumberField("high", keys.high());
            json.writeStringField("from", keys.from());
            json.writeStringField("to", keys.to());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberField("keyIntervals", asked.keyIntervals());
        TimeInterval times = asked.times();
        if (times == null) {
            json.writeNullField("times");
        } else {
            json.writeObjectFieldStart("times");
            json.writeNumberField("from", times.from());
            json.writeNumberField("to", times.to());
            json.writeEndObject();
        }
        json.writeBooleanField("shape", asked.shape());
        json.writeStringField("condition", asked.condition());
        json.writeStringField("result", asked.result());
        json.writeEndObject();
    }

    private void analysis(Explanation.Analysis analysis) throws IOException {
        json.writeObjectFieldStart("analysis");
        json.writeNumberField("total", analysis.total().toNanos());
        json.writeObjectFieldStart("steps");
        for (Explanation.Step step : analysis.steps()) {
            json.writeNumberField(step.name(), step.time().toNanos());
        }
        json.writeEndObject();
        Explanation.Work work = analysis.work();
        json.writeObjectFieldStart("work");
        json.writeNumberField("scanning", work.scanning().toNanos());
        json.writeNumberField("reading", work.reading().toNanos());
        json.writeNumberField("merging", work.merging().toNanos());
        json.writeNumberField("sending", work.sending().toNanos());
        json.writeEndObject();
        json.writeArrayFieldStart("servers");
        for (Explanation.Server server : analysis.servers()) {
            json.writeStartObject();
            json.writeStringField("name", server.name());
            json.writeStringField("host", server.host());
            json.writeNumberField("parts", server.parts());
            json.writeNumberField("inVain", server.inVain());
            json.writeNumberField("unread", server.unread());
            json.writeNumberField("time", server.time().toNanos());
            scanned("scanned", server.scanned());
            json.writeEndObject();
        }
        json.writeEndArray();
        Statistics statistics = analysis.statistics();
        json.writeObjectFieldStart("statistics");
        json.writeNumberField("chunks", statistics.chunks());
        json.writeNumberField("chunksMeeting", statistics.chunksMeeting());
        pruned("chunksByDimension", statistics.chunksByDimension());
        json.writeNumberField("chunksRead", statistics.chunksRead());
        json.writeNumberField("nearReads", statistics.nearReads());
        json.writeNumberField("farReads", statistics.farReads());
        scanned("inChunks", statistics.inChunks());
        scanned("fresh", statistics.fresh());
        json.writeEndObject();
        json.writeEndObject();
    }

    private void scanned(String name, ScanStatistics scanned) throws IOException {
        json.writeObjectFieldStart(name);
        json.writeNumberField("leaves", scanned.leaves());
        pruned(scanned.pruned());
        json.writeNumberField("counted", scanned.counted());
        json.writeNumberField("read", scanned.read());
        json.writeNumberField("unmatched", scanned.unmatched());
        json.writeNumberField("left", scanned.left());
        json.writeNumberField("tuples", scanned.tuples());
        ScanStatistics.Parts parts = scanned.parts();
        json.writeObjectFieldStart("parts");
        json.writeNumberField("read", parts.read());
        json.writeNumberField("bytesRead", parts.bytesRead());
        json.writeNumberField("cached", parts.cached());
        json.writeNumberField("bytesCached", parts.bytesCached());
        json.writeNumberField("directoriesRead", parts.directoriesRead());
        json.writeNumberField("directoryBytesRead", parts.directoryBytesRead());
        json.writeNumberField("bytesReadAlong", parts.bytesReadAlong());
        json.writeNumberField("readNanos", parts.readNanos());
        json.writeEndObject();
        json.writeEndObject();
    }

    private void pruned(Pruning pruning) throws IOException {
        pruned("pruned", pruning);
    }

    private void pruned(String name, Pruning pruning) throws IOException {
        json.writeArrayFieldStart(name);
        for (Pruning.Count count : pruning.counts()) {
            json.writeStartObject();
            json.writeStringField("reason", count.reason());
            json.writeStringField("field", count.field());
            json.writeNumberField("number", count.number());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
