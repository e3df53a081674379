package io.waterwheel.benchmark.data;

import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/** The real data sets that comparisons run on, as streams: their schemas, and their rows in tuple blocks. */
public enum RealSets {
    /** Positions of aircraft around Paris. */
    PARIS("flights/paris-2021-10.csv.gz", flights()),
    /** One aircraft's flights over 30 days. */
    SAVAN("flights/savan-2022-03.csv.gz", flights()),
    /** Daily weather of 1,140 stations: bursts of equal times, few positions. */
    GHCN("ghcn/us-2016.csv.gz", """
            fields:
              - {name: date, type: timestamp}
              - {name: station, type: string, indexed: true}
              - {name: longitude, type: double}
              - {name: latitude, type: double}
              - {name: elevation_m, type: double, nullable: true}
              - {name: element, type: string}
              - {name: value, type: int}
              - {name: qflag, type: string, nullable: true}
            key: {longitude: longitude, latitude: latitude}
            time: date
            """),
    /** Security log records, much out of order in time; keyed by address. */
    ZEEK("zeek/wrccdc-2018-03.csv.gz", """
            fields:
              - {name: log, type: string}
              - {name: ts, type: timestamp_us, unit: s}
              - {name: uid, type: string, nullable: true}
              - {name: orig_h, type: ipv4}
              - {name: orig_p, type: int, nullable: true}
              - {name: resp_h, type: ipv4}
              - {name: resp_p, type: int, nullable: true}
              - {name: detail, type: string, nullable: true}
            key: {field: orig_h}
            time: ts
            """),
    /** Web requests, keyed by a string. */
    NASA("nasa/http-1995-08-01.csv.gz", """
            fields:
              - {name: host, type: string, indexed: true}
              - {name: logname, type: string, nullable: true}
              - {name: time, type: timestamp, unit: s}
              - {name: method, type: string, nullable: true}
              - {name: url, type: string, nullable: true}
              - {name: response, type: int, nullable: true}
              - {name: bytes, type: long, nullable: true}
              - {name: referer, type: string, nullable: true}
              - {name: useragent, type: string, nullable: true}
            key: {field: host}
            time: time
            """);

    private static final int BLOCK_ROWS = 1000;

    private final String file;
    private final String definition;

    RealSets(String file, String schema) {
        this.file = file;
        this.definition = schema;
    }

    private static String flights() {
        return """
                fields:
                  - {name: time_ms, type: timestamp}
                  - {name: icao24, type: string, indexed: true}
                  - {name: callsign, type: string, nullable: true}
                  - {name: longitude, type: double}
                  - {name: latitude, type: double}
                  - {name: altitude_ft, type: double, nullable: true}
                  - {name: groundspeed_kt, type: double, nullable: true}
                  - {name: track_deg, type: double, nullable: true}
                  - {name: vertical_rate_fpm, type: double, nullable: true}
                key: {longitude: longitude, latitude: latitude}
                time: time_ms
                """;
    }

    /** The stream that takes its rows; named as the set, in lower case. */
    public StreamDefinition stream() {
        String name = name().toLowerCase(Locale.ROOT);
        return SchemaFile.read(name + ".yaml", "name: " + name + "\nformat: csv\n" + definition);
    }

    /** Where the set lies below a folder of data sets. */
    public Path path(Path data) {
        return data.resolve(file);
    }

    /** Takes blocks; they are used again after each call. */
    public interface Blocks {
        /** Returns false when no more are wanted. */
        boolean accept(TupleBlock block) throws IOException;
    }

    /**
     * Reads the rows, with their keys, in blocks of about 1,000.
     *
     * @param data the folder of data sets
     * @return number of rows that were refused
     */
    public int read(Path data, Blocks blocks) throws IOException {
        StreamDefinition stream = stream();
        RowLayout layout = RowLayout.of(stream.schema());
        RecordDecoder decoder = RecordDecoder.of(stream.format(), stream.schema());
        KeyMaker keys = KeyMaker.of(layout, stream.schema());
        TupleBlock block = new TupleBlock(layout, BLOCK_ROWS);
        int refused = 0;
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(path(data))), StandardCharsets.UTF_8))) {
            String header = lines.readLine();
            if (header == null) {
                throw new IOException(path(data) + " is empty");
            }
            boolean more = true;
            String line = lines.readLine();
            while (line != null && more) {
                try {
                    int before = block.size();
                    decoder.decode(ByteBuffer.wrap(prepared(line).getBytes(StandardCharsets.UTF_8)), block);
                    refused += keys.fill(block, before, (index, reason) -> {});
                } catch (RejectedRecordException e) {
                    refused++;
                }
                line = lines.readLine();
                if (block.size() == BLOCK_ROWS || (line == null && block.size() > 0)) {
                    more = blocks.accept(block);
                    block.clear();
                }
            }
        }
        return refused;
    }

    /** The set's dates are days; timestamps are instants. */
    private String prepared(String line) {
        return this == GHCN ? line.substring(0, 10) + "T00:00:00Z" + line.substring(10) : line;
    }
}
