package io.waterwheel.index;

/**
 * When leaves are so uneven that a template no longer fits: skewness is how much the largest leaf that can be divided
 * exceeds an even share, in shares (the S of [Wang 2018]). Pure functions.
 */
final class Skewness {
    /* Among l leaves some exceed their share n by chance alone. The tuples of a leaf are binomial with mean n when the
     * bounds are right, so they exceed n + sqrt(2 n x) + x / 3 with a probability of at most e^-x (Bernstein), and some
     * leaf of l does with at most l e^-x. x = ln(l / RISK) makes that RISK for each judgement. Bounds learnt from m
     * tuples a leaf are uncertain themselves, by as much as m tuples' chance; both variances add up: 1/n + 1/m takes
     * the place of 1/n. 0.2 on top lies five or more standard deviations out in a full tree, so that a stationary
     * stream is practically never rebuilt, even when it is judged often. */

    /** Excess beyond chance that is worth a rebuild. */
    static final double TOLERATED = 0.2;

    /** Probability that chance alone exceeds its part of the threshold at one judgement. */
    private static final double RISK = 1e-6;

    private Skewness() {}

    /**
     * The excess over an even share that chance alone explains.
     *
     * @param share mean tuples of a leaf
     * @param learntShare the same, of the tuples that the template was learnt from
     */
    static double chance(int leaves, double share, double learntShare) {
        double x = Math.log(leaves / RISK);
        double effective = 1 / (1 / share + 1 / learntShare);
        return Math.sqrt(2 * x / effective) + x / (3 * effective);
    }

    /** The skewness above which the template should be rebuilt. */
    static double threshold(int leaves, double share, double learntShare) {
        return TOLERATED + chance(leaves, share, learntShare);
    }

    /**
     * Tuples of the largest leaf that can be divided: one that has tuples of two keys at least.
     *
     * @param leaves as their writer sees them
     */
    static int largest(Leaves leaves) {
        Template template = leaves.template();
        int largest = 0;
        for (int leaf = 0; leaf < leaves.count(); leaf++) {
            int size = leaves.size(leaf);
            if (size > largest && !template.indivisible(leaf) && leaves.minKey(leaf) < leaves.maxKey(leaf)) {
                largest = size;
            }
        }
        return largest;
    }
}
