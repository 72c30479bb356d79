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

/** The reports' claims and the conditions under which each counts as reproduced: data/claims.json, written down before any full run. */
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
     * A measure's bounds, either of which may be null, and why they are where they are.
     *
     * @param orWithin null, or another measure: how far the machine was from itself as a ratio, A against A. Where that is more than
     *     the bounds allow, it takes their place
     */
    public record Condition(String measure, Double atLeast, Double atMost, String orWithin, String because) {
        public boolean holds(Map<String, Double> measured) {
            double value = measured.get(measure);
            double own = orWithin == null ? 1 : Math.max(measured.get(orWithin), 1 / measured.get(orWithin));
            return Double.isFinite(value) && Double.isFinite(own)
                    && (atLeast == null || value >= (orWithin == null ? atLeast : Math.min(atLeast, 1 / own)))
                    && (atMost == null || value <= (orWithin == null ? atMost : Math.max(atMost, own)));
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

    public Verdict check(String id, Map<String, Double> measured, Mode mode) {
        Claim claim = claim(id);
        Set<String> measures = claim.measures();
        if (!measured.keySet().equals(measures)) {
            throw new IllegalArgumentException("claim %s is checked by %s, given were %s".formatted(id, measures, measured.keySet()));
        }
        boolean reproduced = claim.conditions().stream().allMatch(c -> c.holds(measured));
        return new Verdict(claim, measured, reproduced, mode);
    }
}
