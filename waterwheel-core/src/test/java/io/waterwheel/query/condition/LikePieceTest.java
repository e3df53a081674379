package io.waterwheel.query.condition;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.column.Workspace;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LikePieceTest {
    private static final String[] CHARACTERS = {"a", "b", "\u00e4", "\u20ac", "\ud83d\ude00"};

    /** Short and long pieces, with and without characters that may be any, against trying each place. */
    @Test
    void findsTheFirstPlaceAsTryingEachDoes() {
        Workspace workspace = Workspace.unhurried();
        int found = 0;
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            int kinds = 1 + random.nextInt(CHARACTERS.length);
            int[] text = characters(random, random.nextInt(200), kinds, 0);
            int[] wanted;
            if (text.length > 0 && random.nextBoolean()) {
                // A part of the text, of which some characters may be any and one perhaps differs.
                int from = random.nextInt(text.length);
                wanted = Arrays.copyOfRange(text, from, from + random.nextInt(text.length - from + 1));
                for (int i = 0; i < wanted.length; i++) {
                    wanted[i] = seed % 3 == 0 && random.nextInt(4) == 0 ? -1 : wanted[i];
                }
            } else {
                wanted = characters(random, random.nextInt(40), kinds, (int) (seed % 3) * 5);
            }
            byte[] bytes = bytes(text, 0, text.length);
            byte[] piece = bytes(wanted, 0, wanted.length);
            int expected = -1;
            for (int at = 0; at + wanted.length <= text.length && expected < 0; at++) {
                boolean fits = true;
                for (int i = 0; i < wanted.length; i++) {
                    fits &= wanted[i] < 0 || wanted[i] == text[at + i];
                }
                expected = fits ? bytes(text, 0, at + wanted.length).length : -1;
            }
            // In an array the text has others on both sides, of few bytes too, which may go on as the piece does.
            int before = random.nextInt(3);
            byte[] array = Arrays.copyOf(new byte[before], before + bytes.length + random.nextInt(30));
            System.arraycopy(bytes, 0, array, before, bytes.length);
            for (int i = before + bytes.length; i < array.length; i++) {
                array[i] = piece.length == 0 ? 0 : piece[random.nextInt(piece.length)];
            }
            int end = LikePiece.of(piece).find(array, before, before + bytes.length, workspace);
            assertThat(end).as("seed " + seed).isEqualTo(expected < 0 ? -1 : before + expected);
            found += expected >= 0 ? 1 : 0;
        }
        assertThat(found).isBetween(5_000, 18_000);
    }

    private static int[] characters(Random random, int length, int kinds, int anyOfHundred) {
        int[] characters = new int[length];
        for (int i = 0; i < length; i++) {
            characters[i] = random.nextInt(100) < anyOfHundred ? -1 : Math.max(0, random.nextInt(kinds + 2) - 2);
        }
        return characters;
    }

    private static byte[] bytes(int[] characters, int from, int to) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = from; i < to; i++) {
            if (characters[i] < 0) {
                bytes.write(LikePiece.ANY);
            } else {
                bytes.writeBytes(CHARACTERS[characters[i]].getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toByteArray();
    }
}
