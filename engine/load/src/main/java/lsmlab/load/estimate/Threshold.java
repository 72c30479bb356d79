// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.estimate;

/**
 * Where trials at rising levels begin to fail, learnt from trials that were held or not. P(held | level) = (1 - lapse) / (1 + exp((ln level - mu) /
 * spread)): a share {@code lapse} of the trials fails at any level; of the others half hold at exp(mu).
 * The posterior of all three lies on a grid, and the next level is the one whose outcome is expected to tell most about mu: the psi method of
 * psychometrics (Kontsevich and Tyler 1999), with the lapse rate as a third parameter.
 */
public final class Threshold {
    private static final int LEVELS = 121;
    /** Every second level is a candidate for the next trial. */
    private static final int CANDIDATE_STEP = 2;
    private static final double[] SPREADS = {0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64};
    private static final double[] LAPSES = {0.01, 0.03, 0.06, 0.12, 0.2, 0.3};
    /** How often each lapse rate is thought to occur, before any trial. */
    private static final double[] LAPSE_PRIOR = {0.25, 0.25, 0.2, 0.15, 0.1, 0.05};
    private static final int SHAPES = SPREADS.length * LAPSES.length;
    private static final double TAIL = 0.025; // on each side of a 95 % interval

    private final double leastLog;
    private final double step; // from one level's logarithm to the next
    private final double[] posterior = new double[LEVELS * SHAPES]; // probability of each pair of a threshold and a shape of the curve
    private final double[] held; // P(held) so many levels above the threshold, from -LEVELS on, for each shape
    private int trials;

    /**
     * The parameters that the trials so far make most plausible.
     *
     * @param median of the threshold's posterior
     * @param low of its 95 % interval, as is {@code high}
     * @param spread width of the fall from held to not held, in logarithms: two spreads below the threshold 88 % of the undisturbed trials hold, two above 12 %
     * @param lapse mean share of trials that fail at any level
     */
    public record Found(double median, double low, double high, double spread, double lapse) {
        /** Half the interval's width, as a share of the threshold. */
        public double halfWidth() {
            return Math.sqrt(high / low) - 1;
        }
    }

    /** @param least and {@code most}: the threshold lies between, each as probable as another by its logarithm */
    public Threshold(double least, double most) {
        leastLog = Math.log(least);
        step = (Math.log(most) - leastLog) / (LEVELS - 1);
        for (int i = 0; i < posterior.length; i++) {
            posterior[i] = LAPSE_PRIOR[i % LAPSES.length] / LEVELS / SPREADS.length;
        }
        held = new double[2 * LEVELS * SHAPES];
        for (int i = 0; i < held.length; i++) {
            held[i] = held((i / SHAPES - LEVELS) * step, i % SHAPES);
        }
    }

    /** P(held) so far above the threshold, in logarithms. */
    private static double held(double above, int shape) {
        return (1 - LAPSES[shape % LAPSES.length]) / (1 + Math.exp(above / SPREADS[shape / LAPSES.length]));
    }

    /** Takes the outcome of a trial into account. */
    public void learn(double level, boolean held) {
        double log = Math.log(level);
        double sum = 0;
        for (int i = 0; i < posterior.length; i++) {
            double p = held(log - (leastLog + i / SHAPES * step), i % SHAPES);
            posterior[i] *= held ? p : 1 - p;
            sum += posterior[i];
        }
        for (int i = 0; i < posterior.length; i++) {
            posterior[i] /= sum;
        }
        trials++;
    }

    /** The level whose trial is expected to leave the least doubt about the threshold. */
    public double nextLevel() {
        int best = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int candidate = 0; candidate < LEVELS; candidate += CANDIDATE_STEP) {
            double entropy = expectedEntropy(candidate);
            if (entropy < least) {
                least = entropy;
                best = candidate;
            }
        }
        return Math.exp(leastLog + best * step);
    }

    private double expectedEntropy(int candidate) {
        double entropy = 0;
        double allHeld = 0;
        double all = 0;
        for (int i = 0; i < LEVELS; i++) {
            int curve = (candidate - i + LEVELS) * SHAPES;
            double ifHeld = 0;
            double either = 0;
            for (int shape = 0; shape < SHAPES; shape++) {
                double weight = posterior[i * SHAPES + shape];
                ifHeld += weight * held[curve + shape];
                either += weight;
            }
            entropy -= xLogX(ifHeld) + xLogX(either - ifHeld);
            allHeld += ifHeld;
            all += either;
        }
        return entropy + xLogX(allHeld) + xLogX(all - allHeld); // each outcome's entropy, by its probability
    }

    private static double xLogX(double x) {
        return x > 0 ? x * Math.log(x) : 0;
    }

    public int trials() {
        return trials;
    }

    public Found found() {
        double[] marginal = new double[LEVELS];
        double spread = 0;
        double lapse = 0;
        for (int i = 0; i < posterior.length; i++) {
            marginal[i / SHAPES] += posterior[i];
            spread += posterior[i] * SPREADS[i % SHAPES / LAPSES.length];
            lapse += posterior[i] * LAPSES[i % LAPSES.length];
        }
        return new Found(quantile(marginal, 0.5), quantile(marginal, TAIL), quantile(marginal, 1 - TAIL), spread, lapse);
    }

    /** Between the levels, the weight of each of which lies evenly around it. */
    private double quantile(double[] marginal, double share) {
        double below = 0;
        for (int i = 0; i < LEVELS; i++) {
            if (below + marginal[i] >= share) {
                return Math.exp(leastLog + step * (i - 0.5 + (share - below) / marginal[i]));
            }
            below += marginal[i];
        }
        return Math.exp(leastLog + step * (LEVELS - 1)); // the sum is a little less than 1
    }
}
