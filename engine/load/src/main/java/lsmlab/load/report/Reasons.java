// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.report;

import java.util.ArrayList;
import java.util.List;

/** Why slices were disturbed, as reports print it. */
final class Reasons {
    private Reasons() {}

    /** The first of each kind: " (a; b)", or nothing without any. */
    static String inBrackets(List<String> disturbances) {
        List<String> reasons = new ArrayList<>();
        for (String disturbance : disturbances) {
            String kind = disturbance.replaceAll("\\d.*", "");
            if (reasons.stream().noneMatch(reason -> reason.startsWith(kind))) {
                reasons.add(disturbance);
            }
        }
        return reasons.isEmpty() ? "" : " (" + String.join("; ", reasons) + ")";
    }
}
