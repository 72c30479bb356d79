// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.replay;

import java.util.Arrays;
import java.util.List;

/**
 * How long requests were inside the server, by when it read them.
 *
 * @param columnSeconds the width of a column in time
 * @param counts of each column: requests by row, the shortest first; without those rows at the end that have none
 */
public record HeatMap(double columnSeconds, List<List<Integer>> counts) {
    /** Times up to here are in the first row. */
    public static final double LEAST_MS = 0.01;
    public static final int ROWS_A_DECADE = 4;
    public static final int ROWS = 6 * ROWS_A_DECADE; // 10 us to 10 s

    static HeatMap of(double seconds, double columnSeconds, double[] atSeconds, double[] ms) {
        int[][] counts = new int[(int) Math.max(1, Math.ceil(seconds / columnSeconds))][ROWS];
        for (int i = 0; i < atSeconds.length; i++) {
            int column = (int) (atSeconds[i] / columnSeconds);
            if (atSeconds[i] >= 0 && column < counts.length) {
                counts[column][row(ms[i])]++;
            }
        }
        return new HeatMap(columnSeconds, Arrays.stream(counts).map(HeatMap::withoutEmptyEnd).toList());
    }

    /** The row of a time, 0 for the shortest ones. */
    public static int row(double ms) {
        return (int) Math.clamp(ROWS_A_DECADE * Math.log10(ms / LEAST_MS), 0, ROWS - 1);
    }

    private static List<Integer> withoutEmptyEnd(int[] column) {
        int end = column.length;
        while (end > 0 && column[end - 1] == 0) {
            end--;
        }
        return Arrays.stream(column, 0, end).boxed().toList();
    }
}
