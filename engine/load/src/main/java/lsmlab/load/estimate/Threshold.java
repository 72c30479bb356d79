// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.estimate;

import java.util.Arrays;
import java.util.Random;

/**
 * Where trials at rising levels begin to fail, learnt from trials that were held or not. P(held | level) = (1 - lapse) / (1 + exp((ln level - mu) /
 * spread)): a share {@code lapse} of the trials fails at any level; of the others half hold at exp(mu). Trials that something disturbed have a
 * lapse rate of their own: one that fails says little, one that holds nevertheless says as much as any.
 * The posterior of all four lies on a grid, and the next level is the one whose outcome is expected to tell most about mu: the psi method of
 * psychometrics (Kontsevich and Tyler 1999), with the lapse rates as further parameters.
 */
public final class Threshold {
    /** From one level to the next, in logarithms, at most. */
    private static final double LONGEST_STEP = 0.042;
    /** Every second level is a candidate for the next trial. */
    private static final int CANDIDATE_STEP = 2;
    /** The prior of the threshold's logarithm: a normal distribution about the one expected, and a share that lies anywhere. */
    private static final double PRIOR_SD = 0.7;
    private static final double ANYWHERE = 0.2;
    private static final double[] SPREADS = {0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64};
    private static final double[] LAPSES = {0.01, 0.03, 0.06, 0.12, 0.2, 0.3};
    /** How often each lapse rate is thought to occur, before any trial. */
    private static final double[] LAPSE_PRIOR = {0.25, 0.25, 0.2, 0.15, 0.1, 0.05};
    private static final int SHAPES = SPREADS.length * LAPSES.length;
    /** Of disturbed trials; each is as probable as another before any trial. */
    private static final double[] DISTURBED_LAPSES = {0.05, 0.2, 0.4, 0.6, 0.8, 0.95};
    private static final int DISTURBED = DISTURBED_LAPSES.length;
    private static final double TAIL = 0.025; // on each side of a 95 % interval

    private final double leastLog;
    private final int levels;
    private final double step; // from one level's logarithm to the next
    private final double[] posterior; // probability of each threshold, shape of the curve and lapse rate of disturbed trials
    private final double[] held; // P(held) so many levels above the threshold, from -levels on, for each shape
    private int trials;

    /**
     * The parameters that the trials so far make most plausible.
     *
     * @param median of the threshold's posterior
     * @param low of its 95 % interval, as is {@code high}
     * @param spread width of the fall from held to not held, in logarithms: two spreads below the threshold 88 % of the undisturbed trials hold, two above 12 %
     * @param lapse mean share of undisturbed trials that fail at any level
     */
    public record Found(double median, double low, double high, double spread, double lapse) {
        /** Half the interval's width, as a share of the threshold. */
        public double halfWidth() {
            return Math.sqrt(high / low) - 1;
        }
    }

    /**
     * @param least and {@code most}: the threshold lies between
     * @param expected where it most probably lies; it may well lie at half of that or at twice as much
     */
    public Threshold(double least, double expected, double most) {
        leastLog = Math.log(least);
        levels = 1 + (int) Math.ceil((Math.log(most) - leastLog) / LONGEST_STEP);
        step = (Math.log(most) - leastLog) / (levels - 1);
        double[] prior = new double[levels];
        for (int level = 0; level < levels; level++) {
            prior[level] = Math.exp(-Math.pow((leastLog + level * step - Math.log(expected)) / PRIOR_SD, 2) / 2);
        }
        double all = Arrays.stream(prior).sum();
        posterior = new double[levels * SHAPES * DISTURBED];
        for (int i = 0; i < posterior.length; i++) {
            double level = (1 - ANYWHERE) * prior[i / DISTURBED / SHAPES] / all + ANYWHERE / levels;
            posterior[i] = level * LAPSE_PRIOR[i / DISTURBED % LAPSES.length] / SPREADS.length / DISTURBED;
        }
        held = new double[2 * levels * SHAPES];
        for (int i = 0; i < held.length; i++) {
            int shape = i % SHAPES;
            held[i] = (1 - LAPSES[shape % LAPSES.length]) * curve((i / SHAPES - levels) * step, shape);
        }
    }

    /** P(held) so far above the threshold, in logarithms, of trials without a lapse. */
    private static double curve(double above, int shape) {
        return 1 / (1 + Math.exp(above / SPREADS[shape / LAPSES.length]));
    }

    /** Takes the outcome of a trial into account. */
    public void learn(double level, boolean held, boolean disturbed) {
        double log = Math.log(level);
        double sum = 0;
        for (int pair = 0; pair < levels * SHAPES; pair++) {
            int shape = pair % SHAPES;
            double curve = curve(log - (leastLog + pair / SHAPES * step), shape);
            for (int i = pair * DISTURBED; i < (pair + 1) * DISTURBED; i++) {
                double p = (1 - (disturbed ? DISTURBED_LAPSES[i % DISTURBED] : LAPSES[shape % LAPSES.length])) * curve;
                posterior[i] *= held ? p : 1 - p;
                sum += posterior[i];
            }
        }
        for (int i = 0; i < posterior.length; i++) {
            posterior[i] /= sum;
        }
        trials++;
    }

    /** The posterior of each pair of a threshold and a shape. */
    private double[] pairs() {
        double[] pairs = new double[levels * SHAPES];
        for (int i = 0; i < posterior.length; i++) {
            pairs[i / DISTURBED] += posterior[i];
        }
        return pairs;
    }

    /**
     * A level near the one whose trial, if nothing disturbs it, is expected to leave the least doubt about the threshold: trials at the same few levels
     * would not say where between them it lies.
     */
    public double nextLevel(Random random) {
        int best = 0;
        double least = Double.POSITIVE_INFINITY;
        double[] pairs = pairs();
        for (int candidate = 0; candidate < levels; candidate += CANDIDATE_STEP) {
            double entropy = expectedEntropy(pairs, candidate);
            if (entropy < least) {
                least = entropy;
                best = candidate;
            }
        }
        return Math.exp(leastLog + (best + CANDIDATE_STEP * (random.nextDouble() - 0.5)) * step);
    }

    private double expectedEntropy(double[] pairs, int candidate) {
        double entropy = 0;
        double allHeld = 0;
        double all = 0;
        for (int i = 0; i < levels; i++) {
            int curve = (candidate - i + levels) * SHAPES;
            double ifHeld = 0;
            double either = 0;
            for (int shape = 0; shape < SHAPES; shape++) {
                double weight = pairs[i * SHAPES + shape];
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
        double[] marginal = new double[levels];
        double spread = 0;
        double lapse = 0;
        double[] pairs = pairs();
        for (int i = 0; i < pairs.length; i++) {
            marginal[i / SHAPES] += pairs[i];
            spread += pairs[i] * SPREADS[i % SHAPES / LAPSES.length];
            lapse += pairs[i] * LAPSES[i % LAPSES.length];
        }
        return new Found(quantile(marginal, 0.5), quantile(marginal, TAIL), quantile(marginal, 1 - TAIL), spread, lapse);
    }

    /** Between the levels, the weight of each of which lies evenly around it. */
    private double quantile(double[] marginal, double share) {
        double below = 0;
        for (int i = 0; i < levels; i++) {
            if (below + marginal[i] >= share) {
                return Math.exp(leastLog + step * (i - 0.5 + (share - below) / marginal[i]));
            }
            below += marginal[i];
        }
        return Math.exp(leastLog + step * (levels - 1)); // the sum is a little less than 1
    }
}
