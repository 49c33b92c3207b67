// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.leaks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A snapshot of threads and counters.
 *
 * @param threads the threads that are checked
 * @param numbers the counters by name
 */
record Living(Set<Thread> threads, Map<String, Long> numbers) {

    private static final int MOST_LINES = 20;

    /** Threads that live as long as the JVM, or end by themselves after being idle. */
    private static final List<Pattern> SHARED = Stream.of(
                    // of the JVM
                    "Attach Listener|Common-Cleaner|DestroyJavaVM|Finalizer|Notification Thread|Reference Handler|Signal Dispatcher",
                    "process reaper.*",
                    "ForkJoinPool\\.commonPool-worker-.*|ForkJoinPool\\.commonPool-delayScheduler|CompletableFutureDelayScheduler",
                    "Keep-Alive-Timer",
                    // of HTTP clients: these cannot be closed before Java
                    // 21, so their threads end when the client is collected
                    "HttpClient-\\d+-.*",
                    // of test runners
                    "junit-.*|surefire-.*|awaitility-.*",
                    // the pool of all schedulers of this kit
                    "safebunny-simulated")
            .map(Pattern::compile)
            .toList();

    static Living now(List<Pattern> ignored, Map<String, LongSupplier> counters) {
        Map<String, Long> numbers = new LinkedHashMap<>();
        counters.forEach((what, counter) -> numbers.put(what, counter.getAsLong()));
        Set<Thread> threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> Stream.concat(SHARED.stream(), ignored.stream())
                        .noneMatch(name -> name.matcher(thread.getName()).matches()))
                .collect(Collectors.toSet());
        return new Living(threads, numbers);
    }

    /** Everything that has increased since the earlier snapshot, one paragraph each. */
    List<String> since(Living before) {
        List<String> more = new ArrayList<>();
        threads.stream()
                .filter(thread -> !before.threads.contains(thread) && thread.isAlive())
                .map(Living::described)
                .sorted()
                .forEach(more::add);
        numbers.forEach((what, number) -> {
            long earlier = before.numbers.getOrDefault(what, 0L);
            if (number > earlier) {
                more.add("  %s: %s, and %s before".formatted(what, number, earlier));
            }
        });
        return more;
    }

    private static String described(Thread thread) {
        return "  thread '%s' (%s%s)%s"
                .formatted(
                        thread.getName(),
                        thread.getState(),
                        thread.isDaemon() ? ", daemon" : "",
                        Arrays.stream(thread.getStackTrace())
                                .limit(MOST_LINES)
                                .map(frame -> System.lineSeparator() + "    at " + frame)
                                .collect(Collectors.joining()));
    }
}
