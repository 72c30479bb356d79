// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import lsmlab.lab.environment.Given;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Agreement;
import lsmlab.lab.notebook.Shown;
import lsmlab.lab.notebook.Table;

/** What a model says of some things beside what was counted, and below each column how well the two agree. */
public final class ModelTable<T> implements Shown {
    private final String caption;
    private final List<T> things;
    private final Function<T, String> name;
    private final Map<String, Function<T, String>> cells = new LinkedHashMap<>();
    private final Map<String, Agreement> agreements = new LinkedHashMap<>();

    /** @param name of a thing, in the first column */
    public ModelTable(String caption, List<T> things, Function<T, String> name) {
        Given.some("ModelTable", "things of which something was counted", things.toArray());
        this.caption = caption;
        this.things = List.copyOf(things);
        this.name = name;
    }

    /** Adds a column, "said / counted". */
    public ModelTable<T> column(String title, ToDoubleFunction<T> model, ToDoubleFunction<T> counted) {
        cells.put(title, thing -> Text.significant(model.applyAsDouble(thing)) + " / " + Text.significant(counted.applyAsDouble(thing)));
        agreements.put(title, Agreement.of(things, model, counted));
        return this;
    }

    /** How well the model agrees with what was counted, in one column. */
    public Agreement agreement(String title) {
        Given.some("agreement", "the title of a column", agreements.get(title));
        return agreements.get(title);
    }

    private Table table() {
        Table table = new Table(caption, row("", cells.keySet().stream()));
        things.forEach(thing -> table.row(row(name.apply(thing), cells.values().stream().map(cell -> cell.apply(thing)))));
        return table.row(row("largest error", agreements.values().stream().map(agreement -> Text.percent(agreement.largestError()))))
                .row(row("rank correlation", agreements.values().stream().map(agreement -> Text.significant(agreement.rankCorrelation()))));
    }

    private static String[] row(String first, Stream<String> others) {
        return Stream.concat(Stream.of(first), others).toArray(String[]::new);
    }

    @Override
    public Map<String, Object> content() {
        return table().content();
    }

    @Override
    public String toString() {
        return table().toString();
    }
}
