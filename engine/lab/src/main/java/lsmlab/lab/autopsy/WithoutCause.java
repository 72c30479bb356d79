// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import lsmlab.lab.measure.Curve;

/**
 * Response times as they would be if no request had waited for a cause: an estimate by subtraction, which leaves everything else as it was. The slowest requests stand for
 * themselves, those drawn from all for the others.
 *
 * @param label its name in charts
 */
public record WithoutCause(String label, List<Point> points) implements Curve {
    private static final double STEPS_A_NINE = 10;

    private record Weighted(double ms, double requests) {}

    /** @param cause null: all causes stay */
    static WithoutCause of(String label, Cause cause, long requests, List<SlowRequest> slowest, List<SlowRequest> typical) {
        if (slowest.isEmpty()) {
            return new WithoutCause(label, List.of());
        }
        double slow = slowest.getLast().responseMs();
        List<SlowRequest> others = typical.stream().filter(request -> request.responseMs() < slow).toList();
        List<Weighted> weighted = new ArrayList<>();
        slowest.forEach(request -> weighted.add(new Weighted(without(request, cause), 1)));
        others.forEach(request -> weighted.add(new Weighted(without(request, cause), (double) (requests - slowest.size()) / others.size())));
        weighted.sort(Comparator.comparingDouble(Weighted::ms));
        return new WithoutCause(label, points(weighted));
    }

    private static double without(SlowRequest request, Cause cause) {
        return request.responseMs() - (cause == null ? 0 : request.ms(cause));
    }

    private static List<Point> points(List<Weighted> ascending) {
        double all = ascending.stream().mapToDouble(Weighted::requests).sum();
        int last = (int) Math.ceil(STEPS_A_NINE * Math.log10(all));
        return IntStream.rangeClosed(0, last).mapToDouble(step -> Math.min(all, Math.pow(10, step / STEPS_A_NINE))).mapToObj(x -> new Point(x, at(ascending, x < all ? all * (1 - 1 / x) : all)))
                .toList();
    }

    /** The smallest time below or at which this many requests are. */
    private static double at(List<Weighted> ascending, double requests) {
        double passed = 0;
        for (Weighted one : ascending) {
            passed += one.requests();
            if (passed >= requests - 1e-6) {
                return one.ms();
            }
        }
        return ascending.getLast().ms();
    }

    @Override
    public boolean reported() {
        return false;
    }

    @Override
    public boolean estimated() {
        return true;
    }
}
