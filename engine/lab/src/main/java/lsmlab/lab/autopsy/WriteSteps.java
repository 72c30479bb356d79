// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import lsmlab.lab.process.ServerTrace.Served;
import lsmlab.lab.process.ServerTrace.Time;

/** What writes wait for, step after step. A write waits for the group before its own, and so for what that one waits for. */
final class WriteSteps {
    /** In order, each step's end and what it is. */
    private static final Map<Time, Cause> STEPS = new EnumMap<>(Time.class);

    static {
        STEPS.put(Time.WRITE_QUEUE, Cause.GROUP);
        STEPS.put(Time.WRITE_THROTTLE, Cause.THROTTLE);
        STEPS.put(Time.WRITE_FULL_MEMTABLES, Cause.STALL_FLUSH);
        STEPS.put(Time.WRITE_COMPACTION_BEHIND, Cause.STALL_COMPACTION);
        STEPS.put(Time.WRITE_FREEZE, Cause.LOG);
        STEPS.put(Time.WRITE_LOG, Cause.LOG);
        STEPS.put(Time.WRITE_SYNC, Cause.SYNC);
        STEPS.put(Time.WRITE_REGISTER, Cause.LOG);
        STEPS.put(Time.WRITE_MEMTABLE, Cause.MEMTABLE);
    }

    private final Spans groups; // what the leaders of commit groups waited for

    WriteSteps(List<Served> requests) {
        groups = new Spans(requests.stream().flatMap(served -> of(served).stream()).filter(part -> part.cause().isPassedOn()).toList());
    }

    /** Lays the steps of a write over the line; of other requests nothing. */
    void lay(TimeLine line, Served served) {
        of(served).forEach(line::lay);
        if (served.passed(Time.WRITE) && served.passed(Time.WRITE_QUEUE)) {
            groups.lay(line, served.at(Time.WRITE), served.at(Time.WRITE_QUEUE));
        }
    }

    private static List<Part> of(Served served) {
        if (!served.passed(Time.WRITE)) {
            return List.of();
        }
        List<Part> steps = new ArrayList<>();
        long from = served.at(Time.WRITE);
        for (Map.Entry<Time, Cause> step : STEPS.entrySet()) {
            if (served.passed(step.getKey())) {
                steps.add(new Part(step.getValue(), served.handler(), from, served.at(step.getKey())));
                from = served.at(step.getKey());
            }
        }
        if (served.passed(Time.STORED) || served.passed(Time.WRITE_MEMTABLE)) { // a single node answers at once
            steps.add(new Part(Cause.GROUP, served.handler(), from, served.at(served.passed(Time.STORED) ? Time.STORED : Time.ANSWERED))); // until its thread was woken
        }
        return steps;
    }
}
