// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.failure.SafeBunnyException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The handler did not run, or not to its end, for a temporary reason: the message comes back without spending an attempt. */
public final class NotHandledException extends SafeBunnyException {

    /** A shorter pause would open and close the breaker many times a second, and each time copy the messages in the prefetch. */
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

    private static final Duration UNTIL_DEPLOYED = Duration.ofMinutes(1);

    private final Duration delay;
    private final boolean trouble;
    private final transient @Nullable Duration pause;

    private NotHandledException(String why, Duration delay, boolean trouble, @Nullable Duration pause) {
        super("SB-3005", why, null);
        this.delay = delay;
        this.trouble = trouble;
        this.pause = pause;
    }

    /** The reason concerns this message alone. */
    public static NotHandledException later(String why, Duration delay) {
        return new NotHandledException(why, delay, false, null);
    }

    /** Only an instance with another version of the application can handle this message; it comes again after a minute. */
    public static NotHandledException byThisVersion(String why) {
        return later(why, UNTIL_DEPLOYED);
    }

    /** The reason concerns every message: something that handling needs is unavailable. */
    public static NotHandledException trouble(String why, Duration delay) {
        return new NotHandledException(why, delay, true, null);
    }

    /** Something that handling needs asked for a pause, which lasts at least a second. */
    public static NotHandledException throttled(String why, Duration asked) {
        Duration pause = asked.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : asked;
        return new NotHandledException(why, pause, true, pause);
    }

    public Duration delay() {
        return delay;
    }

    public boolean isTrouble() {
        return trouble;
    }

    /** How long handling must pause; {@code null} if nobody asked for a certain time. */
    public @Nullable Duration pause() {
        return pause;
    }
}
