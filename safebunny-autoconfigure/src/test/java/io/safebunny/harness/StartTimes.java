// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import io.safebunny.test.Broker;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextManager;

/**
 * Measures what a {@link BunnyTest} costs beyond its Spring context: the same application, plain and in the harness, in turns. Prints the
 * first of each, and the medians of the others. Run its main method, with the number of rounds and what to start: {@code 15 plain memory
 * real}.
 */
final class StartTimes {

    @SpringBootTest(
            classes = Trips.class,
            webEnvironment = SpringBootTest.WebEnvironment.NONE,
            properties = {"safebunny.node=trips", "safebunny.transport=memory", "safebunny.store.type=memory"})
    static class Plain {}

    @BunnyTest(classes = Trips.class, broker = Broker.MEMORY, properties = "safebunny.node=trips")
    static class InMemory {}

    @BunnyTest(classes = Trips.class, broker = Broker.REAL, properties = "safebunny.node=trips")
    static class OnRabbit {}

    private static final Map<String, Class<?>> KINDS =
            Map.of("plain", Plain.class, "memory", InMemory.class, "real", OnRabbit.class);

    private StartTimes() {}

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        List<Class<?>> kinds = new ArrayList<>();
        for (String name : List.of(arguments).subList(1, arguments.length)) {
            kinds.add(Objects.requireNonNull(KINDS.get(name), name));
        }
        Map<Class<?>, List<Long>> times = new LinkedHashMap<>();
        for (int round = 0; round <= rounds; round++) {
            for (Class<?> kind : kinds) {
                times.computeIfAbsent(kind, first -> new ArrayList<>()).add(start(kind));
            }
            Collections.reverse(kinds);
        }
        times.forEach(StartTimes::report);
    }

    private static long start(Class<?> kind) {
        TestContext test = new TestContextManager(kind).getTestContext();
        long begun = System.nanoTime();
        ApplicationContext context = test.getApplicationContext();
        if (kind != Plain.class) {
            context.getBean(BunnyHarness.class).runUntilIdle();
        }
        long taken = System.nanoTime() - begun;
        test.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
        return Duration.ofNanos(taken).toMillis();
    }

    @SuppressWarnings("SystemOut") // what it is for
    private static void report(Class<?> kind, List<Long> millis) {
        List<Long> later = millis.stream().skip(1).sorted().toList();
        System.out.printf(
                "START %s: first %d ms, then median %d ms %s%n",
                kind.getSimpleName(), millis.get(0), later.isEmpty() ? 0 : later.get(later.size() / 2), later);
    }
}
