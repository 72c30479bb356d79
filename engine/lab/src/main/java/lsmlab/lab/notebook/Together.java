// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Several things below each other, as one. */
public final class Together implements Shown {
    private final List<Shown> all;
    private final String text;

    /** @param text in their place, for readers who see plain text only */
    public Together(String text, List<Shown> all) {
        this.text = text;
        this.all = List.copyOf(all);
    }

    @Override
    public Map<String, Object> content() {
        return Map.of(HTML, all.stream().map(one -> one.content().get(HTML).toString()).collect(Collectors.joining("\n")));
    }

    @Override
    public String toString() {
        return text;
    }
}
