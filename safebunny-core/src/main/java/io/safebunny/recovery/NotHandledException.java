// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.failure.SafeBunnyException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The handler was not run, or not to its end, for a reason that passes: the message comes back and no attempt is spent. */
public final class NotHandledException extends SafeBunnyException {

    /** Else a breaker would open and close many times a second, and copy what is on its way each time. */
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

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

    /** The reason concerns every message: what handling needs is not there. */
    public static NotHandledException trouble(String why, Duration delay) {
        return new NotHandledException(why, delay, true, null);
    }

    /** What handling needs asked to be left alone for so long; it is for a second at least. */
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

    /** How long handling must pause; {@code null} when nobody said. */
    public @Nullable Duration pause() {
        return pause;
    }
}
