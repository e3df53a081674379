package io.waterwheel.cli.shell;

import io.waterwheel.cli.text.StatementReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/** Says when what is typed is whole: a command of the shell at the end of its line, a statement at its semicolon. */
final class StatementParser implements Parser {
    /**
     * The words of a line, for completion.
     *
     * @param words names and key words; other characters lie between words
     */
    record Words(String line, int cursor, List<String> words, int wordIndex, int wordCursor)
            implements CompletingParsedLine {
        @Override
        public String word() {
            return words.get(wordIndex);
        }

        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return candidate;
        }

        @Override
        public int rawWordCursor() {
            return wordCursor;
        }

        @Override
        public int rawWordLength() {
            return word().length();
        }
    }

    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) {
        boolean ends = context == ParseContext.ACCEPT_LINE || context == ParseContext.SECONDARY_PROMPT;
        if (ends && !isCommand(line) && !StatementReader.isWhole(line)) {
            throw new EOFError(-1, -1, "a statement ends with a semicolon");
        }
        return words(line, cursor);
    }

    /** Whether it is for the shell itself. */
    static boolean isCommand(String line) {
        String stripped = line.strip().toLowerCase(Locale.ROOT);
        return stripped.startsWith("\\") || List.of("help", "quit", "exit").contains(stripped);
    }

    private static boolean isPart(char letter) {
        return Character.isLetterOrDigit(letter) || letter == '_' || letter == '$' || letter == '\\' || letter == '?';
    }

    private static Words words(String line, int cursor) {
        List<String> words = new ArrayList<>();
        int begin = cursor;
        while (begin > 0 && isPart(line.charAt(begin - 1))) {
            begin--;
        }
        int at = 0;
        while (at < begin) {
            int end = at;
            while (end < begin && isPart(line.charAt(end))) {
                end++;
            }
            if (end > at) {
                words.add(line.substring(at, end));
            }
            at = end + 1;
        }
        words.add(line.substring(begin, cursor));
        return new Words(line, cursor, words, words.size() - 1, cursor - begin);
    }
}
