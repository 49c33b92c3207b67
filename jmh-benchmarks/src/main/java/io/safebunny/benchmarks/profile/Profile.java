// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.profile;

import com.sun.management.OperatingSystemMXBean;
import io.safebunny.benchmarks.contest.Figures;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import one.profiler.AsyncProfiler;
import one.profiler.Counter;

/** Samples what the process spends processor time on, including time in the kernel. Only one may run at a time. */
public final class Profile {

    private static final String START = "start,event=cpu,interval=500us,threads";
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double PERCENT = 100;

    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final AsyncProfiler profiler = AsyncProfiler.getInstance();
    private final long before;

    public Profile() throws IOException {
        String unused = profiler.execute(START);
        before = process.getProcessCpuTime();
    }

    /** Stops sampling. */
    public Figures perMessage(int messages) {
        long nanos = process.getProcessCpuTime() - before;
        profiler.stop();
        Map<Owner, Long> samples = new EnumMap<>(Owner.class);
        for (Owner owner : Owner.values()) {
            samples.put(owner, 0L);
        }
        profiler.dumpCollapsed(Counter.SAMPLES).lines().forEach(line -> {
            int space = line.lastIndexOf(' ');
            samples.merge(Owner.of(line.substring(0, space)), Long.valueOf(line.substring(space + 1)), Long::sum);
        });
        double all = samples.values().stream().mapToLong(Long::longValue).sum();
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("processor time per message, µs", nanos / NANOS_PER_MICRO / messages);
        samples.forEach((owner, count) -> figures.put(owner.title() + ", %", PERCENT * count / all));
        return new Figures(figures);
    }
}
