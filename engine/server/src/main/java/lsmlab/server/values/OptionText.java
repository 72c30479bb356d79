// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.values;

import java.util.Locale;

/** Constants of enumerations as users write them: {@code range-from-file} for {@code RANGE_FROM_FILE}. */
public final class OptionText {
    private OptionText() {}

    public static String of(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
