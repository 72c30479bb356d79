// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.reports;

import com.fasterxml.jackson.core.type.TypeReference;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Outcome;
import lsmlab.load.result.Interval;

/** The claims of reports and papers, and the conditions under which each counts as reproduced: data/claims.json, written down before any full run. */
public final class Claims {
    /**
     * One claim.
     *
     * @param notebook the one that checks it
     * @param relation what is checked, in words
     * @param conditions all of them must hold
     */
    public record Claim(String id, String notebook, String statement, String reported, String relation, List<Condition> conditions) {
        /** Everything that a check of the claim must be given. */
        public Set<String> measures() {
            return conditions.stream().flatMap(c -> Stream.of(c.measure(), c.orWithin())).filter(Objects::nonNull)
                    .collect(Collectors.toCollection(LinkedHashSet::new));
        }
    }

    /**
     * A measure's bounds, either of which may be null, and why they are where they are. A bound is kept if the measure's whole interval keeps it.
     *
     * @param orWithin null, or another measure: how far the machine was from itself as a ratio, A against A. Where that is more than
     *     the bounds allow, it takes their place
     */
    public record Condition(String measure, Double atLeast, Double atMost, String orWithin, String because) {
        /** Whether the measure keeps both bounds. A number that is none keeps none; of a measure that is not known nothing can be said. */
        public Outcome holds(Map<String, Interval> measured) {
            Interval value = measured.get(measure);
            if (Double.isNaN(value.low()) || value.hasNoWidth() && Double.isInfinite(value.median())) {
                return Outcome.NO;
            }
            if (orWithin == null) {
                return holds(value, 1);
            }
            Interval own = measured.get(orWithin);
            if (!Double.isFinite(own.median())) {
                return Outcome.INCONCLUSIVE;
            }
            // The machine's own difference is a factor of at least 1; whatever it is within its interval must decide in the same way.
            double least = own.low() <= 1 && own.high() >= 1 ? 1 : Math.min(factor(own.low()), factor(own.high()));
            Outcome strict = holds(value, least);
            return strict == holds(value, Math.max(factor(own.low()), factor(own.high()))) ? strict : Outcome.INCONCLUSIVE;
        }

        private static double factor(double ratio) {
            return Math.max(ratio, 1 / ratio);
        }

        /** @param own factor by which the machine differs from itself; 1 if that is no matter */
        private Outcome holds(Interval value, double own) {
            Outcome above = atLeast == null ? Outcome.YES : Outcome.isAtLeast(value, orWithin == null ? atLeast : Math.min(atLeast, 1 / own));
            Outcome below = atMost == null ? Outcome.YES : Outcome.isAtMost(value, orWithin == null ? atMost : Math.max(atMost, own));
            return above.and(below);
        }

        @Override
        public String toString() {
            return (atLeast == null ? "" : "at least " + Text.significant(atLeast)) + (atLeast != null && atMost != null ? ", " : "")
                    + (atMost == null ? "" : "at most " + Text.significant(atMost)) + (orWithin == null ? "" : ", or within " + orWithin);
        }
    }

    private final List<Claim> claims;

    private Claims(List<Claim> claims) {
        this.claims = claims;
    }

    public static Claims load() {
        return load(Project.root().resolve("data/claims.json"));
    }

    static Claims load(Path file) {
        return new Claims(Json.read(file, new TypeReference<>() {}));
    }

    List<Claim> all() {
        return claims;
    }

    public Claim claim(String id) {
        return claims.stream().filter(c -> c.id().equals(id)).findFirst().orElseThrow(() -> new IllegalArgumentException(
                "there is no claim '%s' in data/claims.json, it has %s".formatted(id, claims.stream().map(Claim::id).toList())));
    }

    public Verdict check(String id, Map<String, Interval> measured, Mode mode) {
        Claim claim = claim(id);
        Set<String> measures = claim.measures();
        if (!measured.keySet().equals(measures)) {
            throw new IllegalArgumentException("claim %s is checked by %s, given were %s".formatted(id, measures, measured.keySet()));
        }
        Outcome holds = claim.conditions().stream().map(condition -> condition.holds(measured)).reduce(Outcome.YES, Outcome::and);
        return new Verdict(claim, measured, holds, mode);
    }
}
