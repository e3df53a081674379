package io.waterwheel.tuple;

/**
 * Bounds of the cells of some keys that are made of dimensions: keys whose cell in each dimension lies between those of
 * two corners. Two numbers for any number of dimensions, see {@link KeyDimensions}.
 *
 * @param least the key of the least cell of each dimension; of no tuple, maybe
 * @param greatest the key of the greatest cell of each dimension, not below {@code least}
 */
public record KeyBox(long least, long greatest) {
    public KeyBox {
        if (least < 0 || least > greatest) {
            throw new IllegalArgumentException(
                    "key box: expected corners from 0 on, the lower first, got " + least + " and " + greatest);
        }
    }
}
