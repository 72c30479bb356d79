// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import com.fasterxml.jackson.core.type.TypeReference;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The reports' claims and the conditions under which each counts as reproduced: data/claims.json, written down before any full run. */
final class Claims {
    /**
     * One claim.
     *
     * @param relation what is checked, in words
     * @param conditions all of them must hold
     */
    record Claim(String id, String statement, String reported, String relation, List<Condition> conditions) {}

    /** A measure's bounds, either of which may be null, and why they are where they are. */
    record Condition(String measure, Double atLeast, Double atMost, String because) {
        boolean holds(double value) {
            return !Double.isNaN(value) && (atLeast == null || value >= atLeast) && (atMost == null || value <= atMost);
        }

        @Override
        public String toString() {
            return (atLeast == null ? "" : "at least " + Text.significant(atLeast)) + (atLeast != null && atMost != null ? ", " : "")
                    + (atMost == null ? "" : "at most " + Text.significant(atMost));
        }
    }

    private final List<Claim> claims;

    private Claims(List<Claim> claims) {
        this.claims = claims;
    }

    static Claims load() {
        return load(Lab.root().resolve("data/claims.json"));
    }

    static Claims load(Path file) {
        return new Claims(Json.read(file, new TypeReference<>() {}));
    }

    List<Claim> all() {
        return claims;
    }

    Claim claim(String id) {
        return claims.stream().filter(c -> c.id().equals(id)).findFirst().orElseThrow(() -> new IllegalArgumentException(
                "there is no claim '%s' in data/claims.json, it has %s".formatted(id, claims.stream().map(Claim::id).toList())));
    }

    Verdict check(String id, Map<String, Double> measured, Mode mode) {
        Claim claim = claim(id);
        List<String> measures = claim.conditions().stream().map(Condition::measure).toList();
        if (!measured.keySet().equals(Set.copyOf(measures))) {
            throw new IllegalArgumentException("claim %s is checked by %s, given were %s".formatted(id, measures, measured.keySet()));
        }
        boolean reproduced = claim.conditions().stream().allMatch(c -> c.holds(measured.get(c.measure())));
        return new Verdict(claim, measured, reproduced, mode);
    }
}
