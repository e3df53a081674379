package io.waterwheel.embedded.demo;

import io.waterwheel.geo.Box;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Drawings in plain characters, at most 78 columns wide. One thread. */
final class DemoPicture {
    private static final int WIDTH = 76;

    private final char[][] cells;

    private DemoPicture(int height) {
        cells = new char[height][WIDTH];
        for (char[] row : cells) {
            Arrays.fill(row, ' ');
        }
    }

    /** Where a value lies between two others, as the number of a cell. */
    private static int cell(double value, double low, double high, int cells) {
        double part = high > low ? (value - low) / (high - low) : 0;
        return (int) Math.max(0, Math.min(cells - 1, Math.floor(part * cells)));
    }

    /** The same of whole numbers. */
    private static int cell(long value, long low, long high, int cells) {
        return cell((double) (value - low), 0.0, (double) (high - low), cells);
    }

    private List<String> framed(String left, String right) {
        List<String> lines = new ArrayList<>();
        lines.add(" +" + "-".repeat(WIDTH) + "+");
        for (char[] row : cells) {
            lines.add(" |" + new String(row) + "|");
        }
        lines.add(" +" + "-".repeat(WIDTH) + "+");
        lines.add("  " + left + " ".repeat(Math.max(1, WIDTH - left.length() - right.length())) + right);
        return lines;
    }

    /**
     * The regions of chunks, time from left to right and keys from below, and over them a question's.
     *
     * @param bands intervals of keys, a band of the picture each
     * @param asked the question's keys, within its times
     */
    static List<String> regions(
            List<Region> chunks, List<KeyInterval> bands, List<KeyInterval> asked, TimeInterval times) {
        int perBand = 5;
        DemoPicture picture = new DemoPicture(bands.size() * perBand);
        long first =
                chunks.stream().mapToLong(chunk -> chunk.times().from()).min().orElse(0);
        long last = chunks.stream().mapToLong(chunk -> chunk.times().to()).max().orElse(0);
        for (Region chunk : chunks) {
            boolean read = chunk.times().overlaps(times) && asked.stream().anyMatch(chunk.keys()::overlaps);
            int[] rows = picture.rows(chunk.keys(), bands, perBand);
            int left = cell(chunk.times().from(), first, last, WIDTH);
            int right = cell(chunk.times().to(), first, last, WIDTH);
            picture.box(rows[0], rows[1], left, right, read ? '.' : ' ');
        }
        int left = cell(times.from(), first, last, WIDTH);
        int right = cell(times.to(), first, last, WIDTH);
        for (KeyInterval keys : asked) {
            for (KeyInterval band : bands) {
                if (keys.overlaps(band)) {
                    KeyInterval part =
                            new KeyInterval(Math.max(keys.low(), band.low()), Math.min(keys.high(), band.high()));
                    int[] rows = picture.rows(part, bands, perBand);
                    for (int row = rows[0]; row <= rows[1]; row++) {
                        Arrays.fill(picture.cells[row], left, right + 1, '#');
                    }
                }
            }
        }
        return picture.framed(clock(first), clock(last));
    }

    private int[] rows(KeyInterval keys, List<KeyInterval> bands, int perBand) {
        int top = row(keys.high(), bands, perBand);
        int bottom = row(keys.low(), bands, perBand);
        return new int[] {top, bottom};
    }

    /** The picture's row of a key: the highest keys are at the top. */
    private int row(long key, List<KeyInterval> bands, int perBand) {
        for (int b = 0; b < bands.size(); b++) {
            KeyInterval band = bands.get(b);
            if (key <= band.high() || b == bands.size() - 1) {
                int within = cell(key, band.low(), band.high(), perBand);
                return cells.length - 1 - (b * perBand + within);
            }
        }
        throw new IllegalArgumentException("a picture without bands");
    }

    private void box(int top, int bottom, int left, int right, char inside) {
        for (int row = top; row <= bottom; row++) {
            for (int column = left; column <= right; column++) {
                boolean side = column == left || column == right;
                boolean edge = row == top || row == bottom;
                cells[row][column] = edge && side ? '+' : edge ? '-' : side ? '|' : inside;
            }
        }
    }

    /** A position of an aircraft, which has a letter. */
    record Spot(double longitude, double latitude, char letter, boolean newest) {}

    /** Tracks on a map, each with its letter where it is at the end. */
    static List<String> map(List<Spot> spots, Box box) {
        DemoPicture picture = new DemoPicture(18);
        for (boolean newest : new boolean[] {false, true}) {
            for (Spot spot : spots) {
                if (spot.newest == newest) {
                    int row = picture.cells.length
                            - 1
                            - cell(spot.latitude, box.south(), box.north(), picture.cells.length);
                    picture.cells[row][cell(spot.longitude, box.west(), box.east(), WIDTH)] =
                            newest ? spot.letter : '.';
                }
            }
        }
        return picture.framed(
                String.format(Locale.ROOT, "%.2f E, %.2f N", box.west(), box.south()),
                String.format(Locale.ROOT, "%.2f E, %.2f N", box.east(), box.north()));
    }

    static String clock(long millis) {
        return String.format(Locale.ROOT, "%tT", Instant.ofEpochMilli(millis).atZone(ZoneOffset.UTC));
    }
}
