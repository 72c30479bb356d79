// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.List;
import java.util.stream.IntStream;
import lsmlab.load.result.TracedRequests.Traced;

/**
 * One request and where its time went.
 *
 * @param request as the client saw it
 * @param parts in order, without gaps: they add up to its response time
 */
public record SlowRequest(Traced request, List<Part> parts) {
    /** From when it was due until its answer was there. */
    public double responseMs() {
        return request.responseNanos() / 1e6;
    }

    /** Places of a list of requests, first to last: all of them, or the most that are wanted, evenly spread. */
    public static IntStream evenly(List<SlowRequest> requests, int most) {
        int count = Math.min(most, requests.size());
        return IntStream.range(0, count).map(i -> (int) ((long) i * requests.size() / count));
    }

    /** How much of it a cause took. */
    public double ms(Cause cause) {
        return parts.stream().filter(part -> part.cause() == cause).mapToLong(Part::nanos).sum() / 1e6;
    }
}
