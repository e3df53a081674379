package io.waterwheel.tuple;

/**
 * How narrow a question is in each dimension of a key, without its values: a byte a dimension. The share of a
 * dimension's cells that it asks for is kept to a factor of 2^(1/16), 4 %.
 *
 * @param code byte d, counted from the lowest, is of dimension d: 0 where the question does not bound it, else 255 less
 *     16 times the binary logarithm of one over the share
 */
public record QuestionShape(long code) {
    /** Of a question that bounds no dimension. */
    public static final QuestionShape UNBOUNDED = new QuestionShape(0);

    private static final int STEPS = 16;
    private static final int ALL = 255;

    /**
     * The same, and of a dimension only some cells.
     *
     * @param dimension 0 to 7
     * @param wanted number of cells that are asked for; 0 counts as 1
     * @param cells of the dimension, at least {@code wanted} and at least 1
     */
    public QuestionShape with(int dimension, int wanted, int cells) {
        double halvings = Math.log((double) cells / Math.max(1, wanted)) / Math.log(2);
        long coded = Math.max(1, ALL - Math.round(STEPS * halvings));
        int shift = Byte.SIZE * dimension;
        return new QuestionShape((code & ~(0xFFL << shift)) | coded << shift);
    }

    /** Whether the question bounds a dimension. */
    public boolean bounds(int dimension) {
        return coded(dimension) != 0;
    }

    /** The share of a dimension's cells that are asked for, above 0; 1 where it is not bounded. */
    public double share(int dimension) {
        return bounds(dimension) ? Math.pow(2, (coded(dimension) - ALL) / (double) STEPS) : 1;
    }

    private int coded(int dimension) {
        return (int) (code >>> (Byte.SIZE * dimension)) & 0xFF;
    }
}
