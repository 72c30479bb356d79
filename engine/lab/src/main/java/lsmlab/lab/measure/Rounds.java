// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import lsmlab.lab.environment.Text;
import lsmlab.lab.notebook.Turn;
import lsmlab.load.result.Interval;

/** Runs alternatives in rotation, so that drift of the machine affects all of them equally. */
public final class Rounds {
    private final Map<String, List<Run>> runs = new LinkedHashMap<>();

    /** @param turns the alternatives by name; a map without an order of its own, as Map.of, gets that of the names */
    public Rounds(int rounds, Map<String, Supplier<Run>> turns) {
        if (rounds < 1 || turns.isEmpty()) {
            throw new IllegalArgumentException("%d rounds of %d alternatives: there must be at least one of each".formatted(rounds, turns.size()));
        }
        List<String> order = new ArrayList<>(turns instanceof SequencedMap ? turns.keySet() : new TreeSet<>(turns.keySet()));
        order.forEach(name -> runs.put(name, new ArrayList<>()));
        try (var _ = Turn.take("%d rounds of %s".formatted(rounds, String.join(", ", order)))) {
            for (int round = 0; round < rounds; round++) {
                order.forEach(name -> runs.get(name).add(turns.get(name).get()));
                Collections.rotate(order, 1); // no alternative is always the first, or always follows the same one
            }
        }
    }

    /** The results of the alternative of this name. */
    public List<Run> runs(String name) {
        List<Run> found = runs.get(name);
        if (found == null) {
            throw new IllegalArgumentException("no '%s' took part, there were %s".formatted(name, runs.keySet()));
        }
        return List.copyOf(found);
    }

    /** The first run of each, in order. */
    public Run[] first() {
        return runs.values().stream().map(List::getFirst).toArray(Run[]::new);
    }

    /** How many times the other's a value is, from the ratio in each round; see {@link PairedRatio}. */
    public Interval ratio(String name, String other, ToDoubleFunction<Run> value) {
        return PairedRatio.of(runs(name), runs(other), value).interval();
    }

    /** Every run, those of one alternative after those of another. */
    public List<Run> all() {
        return runs.values().stream().flatMap(List::stream).toList();
    }

    @Override
    public String toString() {
        return runs.entrySet().stream().map(turn -> "%s: %s".formatted(turn.getKey(), Text.plural(turn.getValue().size(), "run"))).collect(Collectors.joining(", "));
    }
}
