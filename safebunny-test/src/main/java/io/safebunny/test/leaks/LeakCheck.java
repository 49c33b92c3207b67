// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.leaks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fails a test class that leaves threads or other countable things behind, after waiting 10 s for them to end. The failure shows each thread with its stack.
 *
 * <pre>{@code
 * @ExtendWith(LeakCheck.class)                             // threads only
 *
 * @RegisterExtension                                       // or in a static field
 * static final LeakCheck LEAKS = new LeakCheck()
 *         .ignoringThreads("HikariPool-.*")
 *         .counting("channels of the broker", BROKER::channels);
 * }</pre>
 *
 * <p>What is there before the class's {@code @BeforeAll} methods may stay, and so may threads of the JVM, of its common pools and of JUnit. Not
 * for classes that run at the same time, whose threads it cannot tell apart. A cached context of Spring keeps its threads: close it with
 * {@code @DirtiesContext}, or ignore them. Virtual threads are not seen.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {

    private static final Namespace NAMESPACE = Namespace.create(LeakCheck.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final List<Pattern> ignored = new ArrayList<>();
    private final Map<String, LongSupplier> counters = new LinkedHashMap<>();
    private Duration patience = PATIENCE;

    /** Looks at threads, and at whatever is added. */
    public LeakCheck() {}

    /** @param name regular expression for the whole name of threads that may stay */
    public LeakCheck ignoringThreads(String name) {
        ignored.add(Pattern.compile(name));
        return this;
    }

    /**
     * Of this there must not be more after the class than before it.
     *
     * @param what for the failure: "channels of the broker"
     * @param counter how many there are now; asked again and again until they are few enough. An exception of it fails the class
     */
    public LeakCheck counting(String what, LongSupplier counter) {
        counters.put(what, counter);
        return this;
    }

    /** How long what is ending may take. Default: 10 s. */
    public LeakCheck within(Duration longest) {
        patience = longest;
        return this;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getStore(NAMESPACE).put(this, Living.now(ignored, counters));
    }

    /** @throws AssertionError something is left */
    @Override
    public void afterAll(ExtensionContext context) {
        Living before = context.getStore(NAMESPACE).get(this, Living.class);
        if (before == null) { // something else failed before this began
            return;
        }
        try {
            Awaitility.await()
                    .pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(INTERVAL)
                    .atMost(patience)
                    .until(() -> Living.now(ignored, counters).since(before).isEmpty());
        } catch (ConditionTimeoutException e) {
            List<String> left = Living.now(ignored, counters).since(before);
            if (!left.isEmpty()) {
                throw new AssertionError(
                        "%s leaves something behind, after waiting %s ms:%n%s%nClose what it opens in @AfterEach or @AfterAll, or name the threads that may stay: LeakCheck.ignoringThreads."
                                .formatted(
                                        context.getDisplayName(),
                                        patience.toMillis(),
                                        String.join(System.lineSeparator(), left)));
            }
        }
    }
}
