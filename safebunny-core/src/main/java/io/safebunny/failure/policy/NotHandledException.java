// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import io.safebunny.bodies.BodyStoreUnavailableException;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.failure.SafeBunnyException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The handler did not run to its end for a temporary reason. The message comes back without costing an attempt. */
public final class NotHandledException extends SafeBunnyException {

    /**
     * Shortest pause: otherwise the breaker could open and close many times a second, and each time the messages in the prefetch would be
     * copied.
     */
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

    private static final Duration UNTIL_DEPLOYED = Duration.ofMinutes(1);

    private static final Duration UNTIL_BACK = Duration.ofSeconds(2);

    private final Duration delay;
    private final boolean trouble;
    private final transient @Nullable Duration pause;

    private NotHandledException(String why, Duration delay, boolean trouble, @Nullable Duration pause) {
        this(why, delay, trouble, pause, null);
    }

    private NotHandledException(
            String why, Duration delay, boolean trouble, @Nullable Duration pause, @Nullable Throwable cause) {
        super("SB-3005", why, cause);
        this.delay = delay;
        this.trouble = trouble;
        this.pause = pause;
    }

    /** For a reason that concerns this message alone. */
    public static NotHandledException later(String why, Duration delay) {
        return new NotHandledException(why, delay, false, null);
    }

    /** For a message that only another version of the application can handle. It comes back after a minute. */
    public static NotHandledException byThisVersion(String why) {
        return later(why, UNTIL_DEPLOYED);
    }

    /** For a reason that concerns every message of the type: something that handling needs is unavailable. */
    public static NotHandledException trouble(String why, Duration delay) {
        return new NotHandledException(why, delay, true, null);
    }

    /** For a dependency of the handling, such as the store, that asked for a pause. The pause lasts at least a second. */
    public static NotHandledException throttled(String why, Duration asked) {
        Duration pause = asked.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : asked;
        return new NotHandledException(why, pause, true, pause);
    }

    /** For keys that cannot be had at the moment. The type pauses for two seconds at a time. */
    public static NotHandledException withoutKeys(KeysUnavailableException why) {
        return new NotHandledException(why.messageWithoutCode(), UNTIL_BACK, true, UNTIL_BACK, why);
    }

    /** For a body store that is away. The type pauses for two seconds at a time. */
    public static NotHandledException withoutBodies(BodyStoreUnavailableException why) {
        return new NotHandledException(why.messageWithoutCode(), UNTIL_BACK, true, UNTIL_BACK, why);
    }

    /** What is away; {@code null} if it is for another reason. */
    public @Nullable Lack lack() {
        if (getCause() instanceof KeysUnavailableException) {
            return Lack.KEYS;
        }
        return getCause() instanceof BodyStoreUnavailableException ? Lack.BODIES : null;
    }

    public Duration delay() {
        return delay;
    }

    public boolean isTrouble() {
        return trouble;
    }

    /** How long the type must pause; {@code null} if nobody asked for a pause. */
    public @Nullable Duration pause() {
        return pause;
    }
}
