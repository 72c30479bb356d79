// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.util.Map;
import lsmlab.lab.environment.Text;

/** An interactive page in a frame of its own, so that its script can't reach the notebook. A page needs nothing else: it works in a file, too, and without a network. */
public final class Frame implements Shown {
    private final String html;
    private final String text;

    /**
     * @param kind in lower case, as "flamegraph": part of the frame's class, by which scripts find it
     * @param words what it is called where it can't be shown, as "Flame graph"
     * @param page HTML without a background of its own, so that it fits a light and a dark notebook
     * @param text what it shows, for readers who see plain text only
     */
    public Frame(String kind, String words, String title, int heightPixels, String page, String text) {
        html = ("<iframe class=\"lsmlab-%s\" sandbox=\"allow-scripts\" title=\"%s: %s\" style=\"width:100%%;height:%dpx;border:1px solid #888;background:transparent\" srcdoc=\"%s\">"
                + "[%s hidden: this notebook is not trusted. Run the cell, or choose File &gt; Trust Notebook.]</iframe>")
                .formatted(kind, words, Text.html(title).replace("\"", "&quot;"), heightPixels, page.replace("&", "&amp;").replace("\"", "&quot;"), words);
        this.text = text;
    }

    @Override
    public Map<String, Object> content() {
        return Map.of(HTML, html);
    }

    @Override
    public String toString() {
        return text;
    }
}
