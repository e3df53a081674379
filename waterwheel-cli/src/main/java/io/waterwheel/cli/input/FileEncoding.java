package io.waterwheel.cli.input;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How a file's text is encoded. Lines are handled in UTF-8: other files are brought to that while they are read. */
public enum FileEncoding {
    /** As it is, or with its mark in front. */
    UTF_8("utf-8", StandardCharsets.UTF_8),
    /** The lower byte first, as Windows writes it. */
    UTF_16LE("utf-16le", StandardCharsets.UTF_16LE),
    /** The higher byte first. */
    UTF_16BE("utf-16be", StandardCharsets.UTF_16BE),
    /** One byte a character; five bytes stand for none. */
    WINDOWS_1252("windows-1252", Charset.forName("windows-1252")),
    /** One byte a character, all of the first 256. */
    LATIN_1("latin-1", StandardCharsets.ISO_8859_1),
    /** Of Poland, Hungary and their neighbours; never guessed, as are those that follow. */
    WINDOWS_1250("windows-1250", Charset.forName("windows-1250")),
    /** Of Cyrillic. */
    WINDOWS_1251("windows-1251", Charset.forName("windows-1251")),
    /** Of Greece. */
    WINDOWS_1253("windows-1253", Charset.forName("windows-1253")),
    /** Of Turkey. */
    WINDOWS_1254("windows-1254", Charset.forName("windows-1254")),
    /** Of China: GBK and GB 2312, too. */
    GB18030("gb18030", Charset.forName("GB18030")),
    /** Of Taiwan and Hong Kong. */
    BIG5("big5", Charset.forName("Big5")),
    /** Of Japan, as Windows has it. */
    SHIFT_JIS("shift-jis", Charset.forName("windows-31j")),
    /** Of Korea, as Windows has it. */
    EUC_KR("euc-kr", Charset.forName("x-windows-949"));

    private static final byte[] UTF_8_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final byte[] LE_MARK = {(byte) 0xFF, (byte) 0xFE};
    private static final byte[] BE_MARK = {(byte) 0xFE, (byte) 0xFF};
    private static final int CHUNK = 1 << 14;

    private final String label;
    private final Charset charset;

    FileEncoding(String label, Charset charset) {
        this.label = label;
        this.charset = charset;
    }

    /** Its name on the command line. */
    public String label() {
        return label;
    }

    /**
     * The encoding of that name, in lower or upper case.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static FileEncoding parse(String name) {
        String lower = name.toLowerCase(Locale.ROOT).replace('_', '-');
        return switch (lower) {
            case "utf-8", "utf8" -> UTF_8;
            case "utf-16", "utf16", "utf-16le" -> UTF_16LE;
            case "utf-16be" -> UTF_16BE;
            case "windows-1252", "cp1252" -> WINDOWS_1252;
            case "latin-1", "latin1", "iso-8859-1" -> LATIN_1;
            case "windows-1250", "cp1250" -> WINDOWS_1250;
            case "windows-1251", "cp1251" -> WINDOWS_1251;
            case "windows-1253", "cp1253" -> WINDOWS_1253;
            case "windows-1254", "cp1254" -> WINDOWS_1254;
            case "gb18030", "gbk", "gb2312" -> GB18030;
            case "big5" -> BIG5;
            case "shift-jis", "sjis", "cp932" -> SHIFT_JIS;
            case "euc-kr", "cp949" -> EUC_KR;
            default ->
                throw new IllegalArgumentException("expected "
                        + Arrays.stream(values())
                                .map(FileEncoding::label)
                                .limit(values().length - 1L)
                                .collect(Collectors.joining(", "))
                        + " or " + values()[values().length - 1].label + ", got '" + name + "'");
        };
    }

    /** Whether a text in another alphabet than that of Western Europe may be in it: it is never guessed. */
    public boolean isForeign() {
        return compareTo(LATIN_1) > 0;
    }

    /** Whether bytes are text in it. */
    public boolean reads(byte[] text) {
        try {
            charset.newDecoder().decode(ByteBuffer.wrap(text));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /** The encoding of a file, whose mark, if it has one, is passed over: a mark says more than a name. */
    static FileEncoding of(BufferedInputStream in, @Nullable FileEncoding named) throws IOException {
        in.mark(UTF_8_MARK.length);
        byte[] begin = in.readNBytes(UTF_8_MARK.length);
        in.reset();
        FileEncoding marked = UTF_8;
        int mark = 0;
        if (Arrays.equals(begin, UTF_8_MARK)) {
            mark = UTF_8_MARK.length;
        } else if (begin.length >= 2 && begin[0] == LE_MARK[0] && begin[1] == LE_MARK[1]) {
            marked = UTF_16LE;
            mark = LE_MARK.length;
        } else if (begin.length >= 2 && begin[0] == BE_MARK[0] && begin[1] == BE_MARK[1]) {
            marked = UTF_16BE;
            mark = BE_MARK.length;
        } else if (named != null) {
            return named;
        } else if (begin.length >= 2 && begin[0] != 0 && begin[1] == 0) {
            return UTF_16LE; // no text in UTF-8 has a zero byte
        } else if (begin.length >= 2 && begin[0] == 0 && begin[1] != 0) {
            return UTF_16BE;
        }
        in.skipNBytes(mark);
        return marked;
    }

    /**
     * The text of a file in UTF-8. Bytes that are none of this encoding are a
     * {@link java.nio.charset.CharacterCodingException}; those of a file in UTF-8 are passed on as they are.
     */
    InputStream inUtf8(InputStream in) {
        return this == UTF_8 ? in : new Recoded(in, charset.newDecoder());
    }

    private static final class Recoded extends InputStream {
        private final InputStream in;
        private final CharsetDecoder decoder;
        private final ByteBuffer bytes = ByteBuffer.allocate(CHUNK).flip();
        private final CharBuffer chars = CharBuffer.allocate(CHUNK);
        private byte[] out = {};
        private int at;
        private boolean ended;

        Recoded(InputStream in, CharsetDecoder decoder) {
            this.in = in;
            this.decoder =
                    decoder.onMalformedInput(CodingErrorAction.REPORT).onUnmappableCharacter(CodingErrorAction.REPORT);
        }

        @Override
        public int read() throws IOException {
            return fill() ? out[at++] & 0xFF : -1;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (!fill()) {
                return -1;
            }
            int some = Math.min(length, out.length - at);
            System.arraycopy(out, at, into, from, some);
            at += some;
            return some;
        }

        /** Whether there is a byte to give. */
        private boolean fill() throws IOException {
            while (at == out.length && !ended) {
                bytes.compact();
                int got = in.read(bytes.array(), bytes.position(), bytes.remaining());
                ended = got < 0;
                bytes.position(bytes.position() + Math.max(0, got)).flip();
                CoderResult result = decoder.decode(bytes, chars, ended);
                // What comes before a bad byte is given first: messages name the line.
                boolean bad = result.isError();
                chars.flip();
                if (bad && !chars.hasRemaining()) {
                    result.throwException();
                }
                out = halves(bad || ended);
                at = 0;
                ended &= !bad;
            }
            return at < out.length;
        }

        /** The characters in UTF-8; the first half of a pair stays for the next time. */
        private byte[] halves(boolean last) {
            int end = chars.limit();
            if (!last && end > 0 && Character.isHighSurrogate(chars.get(end - 1))) {
                end--;
            }
            byte[] encoded = CharBuffer.wrap(chars.array(), 0, end).toString().getBytes(StandardCharsets.UTF_8);
            chars.position(end);
            chars.compact();
            return encoded;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
