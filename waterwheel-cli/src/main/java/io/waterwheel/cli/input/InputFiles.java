package io.waterwheel.cli.input;

import com.github.luben.zstd.util.Native;
import io.waterwheel.cli.output.Terminal;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Files that are read one after the other, and how far that is. One thread. */
public final class InputFiles {
    private final List<InputSource> files;
    private final AppendProgress progress;
    private long before;
    private @Nullable CountedInput current;

    /** @param unit what is counted */
    public InputFiles(List<InputSource> files, Terminal terminal, String unit) throws IOException {
        this.files = files;
        long size = 0;
        for (InputSource file : files) {
            size += file.size();
        }
        this.progress = new AppendProgress(terminal, unit, this::bytes, size);
    }

    /** What is done with a file. */
    public interface Reader {
        void read(InputSource file, InputStream in) throws IOException;
    }

    /** Reads all, for the last time. */
    public void each(Reader reader) throws IOException {
        for (InputSource file : files) {
            try (CountedInput in = new CountedInput(file.openLast())) {
                current = in;
                reader.read(file, in);
                before += in.bytes();
                current = null;
            }
        }
    }

    private long bytes() {
        CountedInput in = current;
        return before + (in == null ? 0 : in.bytes());
    }

    public AppendProgress progress() {
        return progress;
    }

    /** Counts the bytes that are read. One thread. */
    public static final class CountedInput extends FilterInputStream {
        private long bytes;

        public CountedInput(InputStream in) {
            super(in);
        }

        public long bytes() {
            return bytes;
        }

        @Override
        public int read() throws IOException {
            int read = super.read();
            bytes += read < 0 ? 0 : 1;
            return read;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            int read = super.read(into, from, length);
            bytes += Math.max(0, read);
            return read;
        }
    }

    /**
     * Whether Zstandard's native library runs on this machine: one without a temporary folder to unpack it lacks it.
     */
    public static boolean hasZstd() {
        try {
            Native.load();
            return true;
        } catch (LinkageError e) {
            return false;
        }
    }
}
