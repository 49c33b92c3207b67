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
 * Fails a test class that leaves threads or other countable things behind, after waiting 10 s for them to end. The failure shows each
 * thread with its stack.
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
 * <p>Threads and things that exist before the class's {@code @BeforeAll} methods may stay, and so may threads of the JVM, of its common
 * pools and of JUnit. Not for classes that run concurrently, because it cannot tell their threads apart. A cached Spring context keeps its
 * threads: close it with {@code @DirtiesContext}, or ignore them. Virtual threads are not checked.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {

    private static final Namespace NAMESPACE = Namespace.create(LeakCheck.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final List<Pattern> ignored = new ArrayList<>();
    private final Map<String, LongSupplier> counters = new LinkedHashMap<>();
    private Duration patience = PATIENCE;

    /** Checks threads, and the things that are added by {@link #counting}. */
    public LeakCheck() {}

    /** @param name regular expression for the whole name of threads that may stay */
    public LeakCheck ignoringThreads(String name) {
        ignored.add(Pattern.compile(name));
        return this;
    }

    /**
     * Adds a check: after the class, there must not be more of these things than before.
     *
     * @param what names the things in the failure, such as "channels of the broker"
     * @param counter returns how many there are now; called repeatedly until there are few enough. If it throws, the class fails
     */
    public LeakCheck counting(String what, LongSupplier counter) {
        counters.put(what, counter);
        return this;
    }

    /** How long to wait for threads and things that are still ending. Default: 10 s. */
    public LeakCheck within(Duration longest) {
        patience = longest;
        return this;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getStore(NAMESPACE).put(this, Living.now(ignored, counters));
    }

    /** @throws AssertionError if something is left */
    @Override
    public void afterAll(ExtensionContext context) {
        Living before = context.getStore(NAMESPACE).get(this, Living.class);
        if (before == null) { // an earlier failure kept this from beginning
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
