package io.waterwheel.cli.input;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Files that have no lines, by how they begin. */
final class OtherFiles {
    /** More bytes are not looked at. */
    static final int MOST_BYTES = 8;

    private static final byte[] ZIP = {'P', 'K', 3, 4};
    private static final byte[] PARQUET = {'P', 'A', 'R', '1'};
    /** How a compound file of Microsoft's begins. */
    private static final byte[] OLD_EXCEL = {(byte) 0xD0, (byte) 0xCF, 0x11, (byte) 0xE0};

    private static final byte[] XZ = {(byte) 0xFD, '7', 'z', 'X'};
    private static final byte[] ARROW = {'A', 'R', 'R', 'O'};
    /** The letters alone begin names of columns, too. */
    private static final byte[] BEHIND_ARROW = {'W', '1', 0, 0};

    private static final byte[] ARROW_STREAM = {-1, -1, -1, -1};
    private static final byte[] BZIP2 = {'B', 'Z', 'h'};
    private static final byte[] UTF_32_LE = {(byte) 0xFF, (byte) 0xFE, 0, 0};
    private static final byte[] UTF_32_BE = {0, 0, (byte) 0xFE, (byte) 0xFF};

    private OtherFiles() {}

    /**
     * Of a file that has no lines, what it is and what to do; empty: it may have some.
     *
     * @param begin its first four bytes
     * @param rest what is behind them, read only where these do not tell: the next line may take long to come
     */
    static String what(byte[] begin, InputStream rest) throws IOException {
        if (begins(begin, ZIP)) {
            return "it is a zip archive, as Excel workbooks are: save the sheet as CSV, or unpack it";
        } else if (begins(begin, OLD_EXCEL)) {
            return "it is a document of an older Microsoft Office, such as an Excel workbook (.xls): save the sheet as"
                    + " CSV";
        } else if (begins(begin, PARQUET)) {
            return "it is a Parquet file: write its rows as CSV, JSON lines or Avro, append them by Python (clients/python:"
                    + " client.append(stream, pyarrow.parquet.read_table(file))), or take them by SQL"
                    + " (INSERT INTO ... SELECT from a table of the file, docs/formats.md)";
        } else if (isArrow(begin, rest)) {
            return "it is a file of Arrow: write its rows as CSV, JSON lines or Avro, or send it by HTTP or Python"
                    + " (docs/http.md, clients/python)";
        } else if (begins(begin, XZ)) {
            return "it is compressed by xz: unpack it, as by 'xz -d', or compress it by gzip or zstd";
        } else if (begins(begin, BZIP2) && begin.length > 3 && begin[3] >= '1' && begin[3] <= '9') {
            return "it is compressed by bzip2: unpack it, as by 'bzip2 -d', or compress it by gzip or zstd";
        } else if (begins(begin, UTF_32_LE) || begins(begin, UTF_32_BE)) {
            return "it is in UTF-32: write it in UTF-8, as by 'iconv -f UTF-32 -t UTF-8'";
        }
        return "";
    }

    private static boolean isArrow(byte[] begin, InputStream rest) throws IOException {
        return begins(begin, ARROW_STREAM)
                || (begins(begin, ARROW) && begins(rest.readNBytes(BEHIND_ARROW.length), BEHIND_ARROW));
    }

    static boolean begins(byte[] begin, byte[] magic) {
        return begin.length >= magic.length && Arrays.equals(begin, 0, magic.length, magic, 0, magic.length);
    }
}
