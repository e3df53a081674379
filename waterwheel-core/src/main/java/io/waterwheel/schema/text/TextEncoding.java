package io.waterwheel.schema.text;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How the text of records is encoded. Stateless. */
public enum TextEncoding {
    /** As it is kept. */
    UTF_8("utf-8", StandardCharsets.UTF_8),
    /** One byte a character; five bytes stand for none. */
    WINDOWS_1252("windows-1252", Charset.forName("windows-1252")),
    /** One byte a character, all of the first 256. */
    LATIN_1("latin-1", StandardCharsets.ISO_8859_1);

    /** Of a byte's characters in UTF-8, at most. */
    public static final int MOST_BYTES = 3;

    private static final char NO_CHARACTER = '\uFFFF';
    private static final int ASCII = 0x80;
    private static final int TWO_BYTES = 0x800;

    private final String label;
    private final Charset charset;
    /** By byte its character; {@code U+FFFF} where there is none. Empty for UTF-8. */
    private final String characters;

    TextEncoding(String label, Charset charset) {
        this.label = label;
        this.charset = charset;
        StringBuilder table = new StringBuilder();
        for (int b = 0; b < 256 && !label.equals("utf-8"); b++) {
            table.append(characterOf(charset, (byte) b));
        }
        this.characters = table.toString();
    }

    private static char characterOf(Charset charset, byte of) {
        try {
            return charset.newDecoder()
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(new byte[] {of}))
                    .get();
        } catch (CharacterCodingException none) {
            return NO_CHARACTER;
        }
    }

    /** Its name in a schema. */
    public String label() {
        return label;
    }

    /**
     * The encoding of that name.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static TextEncoding parse(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "utf-8" -> UTF_8;
            case "windows-1252" -> WINDOWS_1252;
            case "latin-1", "iso-8859-1" -> LATIN_1;
            default ->
                throw new IllegalArgumentException(
                        "encoding: expected utf-8, windows-1252 or latin-1, got '" + name + "'");
        };
    }

    /**
     * Writes text of an encoding of one byte a character as UTF-8.
     *
     * @param into has room for {@link #MOST_BYTES} times the length
     * @return how many bytes that are; less than 0 when a byte is no character: -1 less its place
     */
    public int toUtf8(byte[] bytes, int from, int length, byte[] into) {
        int out = 0;
        for (int i = 0; i < length; i++) {
            int code = characters.charAt(bytes[from + i] & 0xFF);
            if (code == NO_CHARACTER) {
                return -1 - i;
            } else if (code < ASCII) {
                into[out++] = (byte) code;
            } else if (code < TWO_BYTES) {
                into[out++] = (byte) (0xC0 | (code >> 6));
                into[out++] = (byte) (0x80 | (code & 0x3F));
            } else {
                into[out++] = (byte) (0xE0 | (code >> 12));
                into[out++] = (byte) (0x80 | ((code >> 6) & 0x3F));
                into[out++] = (byte) (0x80 | (code & 0x3F));
            }
        }
        return out;
    }

    /** Text in UTF-8 in this encoding; null when that lacks a character of it. */
    public byte @Nullable [] ofUtf8(byte[] utf8) {
        if (this == UTF_8) {
            return utf8;
        }
        try {
            CharBuffer text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(utf8));
            ByteBuffer encoded = charset.newEncoder()
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .encode(text);
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
