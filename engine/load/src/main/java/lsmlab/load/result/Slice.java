// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * A short load of one of several targets.
 *
 * @param turn whose it was, and when
 * @param response response times; of a closed loop they are service times
 * @param targetCpuSeconds processor time of the target's process; null if that is not known
 * @param around what the machine did meanwhile
 * @param disturbed why it should not count, in words; null if nothing disturbed it
 */
public record Slice(Turn turn, Answers answers, Times response, Double targetCpuSeconds, Around around, String disturbed) {
    /**
     * @param target its place among the URLs, from 0
     * @param round from 0; a round has a second slice of a target if the first was disturbed
     * @param startSeconds since the first round began
     * @param seconds in which requests were due
     */
    public record Turn(int target, int round, double startSeconds, double seconds) {}

    /**
     * @param planned requests that were due; in a closed loop, that were sent
     * @param late of these, those that came after the slice's end
     * @param errors of every kind
     * @param unsent were due and not sent, because their connection waited
     * @param missing were sent and not answered in time
     */
    public record Answers(long planned, long requests, long late, long errors, long unsent, long missing) {}

    /**
     * In milliseconds; null without responses.
     *
     * @param histogram HdrHistogram V2, compressed, base64, in microseconds
     */
    public record Times(Double p50Ms, Double p99Ms, Double maxMs, String histogram) {
        /** At any percentile; NaN without responses. */
        public double percentileMs(double percentile) {
            if (histogram == null) {
                return Double.NaN;
            }
            try {
                return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(histogram)), 0).getValueAtPercentile(percentile) / 1e3;
            } catch (DataFormatException e) {
                throw new IllegalStateException("the slice's histogram can't be read", e);
            }
        }
    }

    /**
     * Shares of the time of one processor; null where the system does not say.
     *
     * @param stolen by the host, over all processors
     * @param foreign taken by other processes than the generator and the targets; null if not all targets' processes are known
     * @param others taken by the other targets, for work that they have put off; null as above
     * @param pressure of the slice during which something waited for a processor
     * @param generatorLagMs p99 of how late the generator sent
     * @param generatorGcMs pauses of the generator
     */
    public record Around(Double stolen, Double foreign, Double others, Double pressure, Double generatorLagMs, long generatorGcMs) {}

    /** Responses a second until the slice's end; of a closed loop its throughput. */
    public double perSecond() {
        return (answers.requests() - answers.late()) / turn.seconds();
    }

    /** A measure of {@link Ratio}; NaN if it is not known. A percentile is not if too many requests have no answer. */
    public double value(String measure) {
        return switch (measure) {
            case "cpuMicrosPerRequest" -> cpuMicrosPerRequest();
            case "throughput" -> perSecond();
            case "p50Ms" -> answeredUpTo(0.5) ? response.p50Ms() : Double.NaN;
            case "p99Ms" -> answeredUpTo(0.99) ? response.p99Ms() : Double.NaN;
            default -> throw new IllegalArgumentException("'%s' is not measured, there are %s".formatted(measure, Ratio.MEASURES));
        };
    }

    /** Whether a quantile of the response time is one of the answers': those without an answer took longer than any of them. */
    private boolean answeredUpTo(double quantile) {
        return response.p99Ms() != null && answers.unsent() + answers.missing() <= (1 - quantile) * Math.max(answers.planned(), answers.requests());
    }

    /** Processor time of the target for a response, in microseconds; NaN if it is not known. */
    public double cpuMicrosPerRequest() {
        return targetCpuSeconds == null ? Double.NaN : 1e6 * targetCpuSeconds / answers.requests();
    }
}
