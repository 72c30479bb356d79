// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.util.Map;

/** Something that a notebook shows as a table. */
interface ShownAsTable extends Shown {
    Table table();

    @Override
    default Map<String, Object> content() {
        return table().content();
    }
}
