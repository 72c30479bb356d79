// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.util.Locale;

/** Constants of enumerations as users write them: {@code range-from-file} for {@code RANGE_FROM_FILE}. */
final class OptionText {
    private OptionText() {}

    static String of(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
