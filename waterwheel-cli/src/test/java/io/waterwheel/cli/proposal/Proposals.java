package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.schema.RecordFormat;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks at files of which nothing is said, for tests. Stateless. */
public final class Proposals {
    private Proposals() {}

    /** Looks at a CSV file that is in memory, whole. */
    public static SchemaProposal of(String name, InputStream in, List<String> named) throws IOException {
        return of(name, source(name, in.readAllBytes()), RecordFormat.CSV, named, null);
    }

    public static SchemaProposal of(
            String name, InputSource file, RecordFormat format, List<String> named, @Nullable FileEncoding encoding)
            throws IOException {
        return SchemaProposal.of(name, file, format, named, encoding, FileFacts.NONE);
    }

    /** A file that is in memory, of which all is looked at. */
    static InputSource source(String name, byte[] file) {
        return new InputSource() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(file);
            }

            @Override
            public long size() {
                return file.length;
            }

            @Override
            public long mostLookedAt() {
                return file.length;
            }
        };
    }
}
