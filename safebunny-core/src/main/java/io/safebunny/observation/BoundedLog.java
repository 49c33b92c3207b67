// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Limits log lines that a sender or an outage can trigger by the thousand: further lines in the same minute are only counted, and
 * the count is logged. Thread-safe.
 */
public final class BoundedLog {

    /** A flood is logged as one count per interval; the end of an outage is logged at most once per interval. */
    static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final int MOST_SUBJECTS = 1_000;

    private final Timeline timeline;
    private final ExceptionDetails details;
    private final Map<Subject, Flood> floods = new LinkedHashMap<>();
    private final Map<Subject, Outage> outages = new LinkedHashMap<>();
    /** Whether there is any outage; lets the hot path skip the lock while there is none. */
    private volatile boolean anyOutage;

    public BoundedLog(Timeline timeline, ExceptionDetails details) {
        this.timeline = timeline;
        this.details = details;
    }

    /**
     * The subject of log lines. Lines with the same subject are counted together.
     *
     * @param text common beginning of the lines, up to a colon; only this node's own names and classes, never content of a
     *     message
     * @param most maximum number of lines per minute that are logged in full
     */
    public record Subject(Logger logger, Level level, String text, int most) {

        /** Logs one line a minute in full. */
        public static Subject info(Logger logger, String text) {
            return new Subject(logger, Level.INFO, text, 1);
        }

        /** Logs one line a minute in full. */
        public static Subject warn(Logger logger, String text) {
            return new Subject(logger, Level.WARN, text, 1);
        }

        /** Logs one line a minute in full. */
        public static Subject error(Logger logger, String text) {
            return new Subject(logger, Level.ERROR, text, 1);
        }

        public Subject upTo(int mostPerMinute) {
            return new Subject(logger, level, text, mostPerMinute);
        }
    }

    /** The exception, reduced to the part that may be logged. */
    public Throwable tellable(Throwable failure) {
        return details.logged(failure);
    }

    /** How much of an exception is shown. */
    public ExceptionDetails details() {
        return details;
    }

    /**
     * Logs an event in full, or counts it; the count and the latest event are logged once a minute. While more events with the same subject
     * arrive per minute than may be logged in full, all of them are only counted.
     *
     * @param which such as a message's id, safe to be logged
     */
    public void tell(Subject subject, String which, Runnable inFull) {
        if (isAdmitted(subject, which)) {
            inFull.run();
        }
    }

    /** Like {@link #tell}, but events that are only counted are also logged in full at {@code DEBUG}, without a limit. */
    public void tellEach(Subject subject, String which, Consumer<LoggingEventBuilder> inFull) {
        Level level = isAdmitted(subject, which) ? subject.level() : Level.DEBUG;
        if (subject.logger().isEnabledForLevel(level)) {
            inFull.accept(subject.logger().atLevel(level));
        }
    }

    private boolean isAdmitted(Subject subject, String which) {
        boolean admitted;
        synchronized (this) {
            long now = timeline.nanoTime();
            Subject counted = bounded(subject, now);
            Flood flood = floods.computeIfAbsent(counted, first -> new Flood(first.most(), now));
            admitted = flood.admit(which, now);
            if (!admitted) {
                schedule(flood.plan(now), () -> tellCount(counted), flood::unplan);
            }
        }
        return admitted;
    }

    /** Subjects beyond the limit share one count. */
    private Subject bounded(Subject subject, long now) {
        if (floods.size() >= MOST_SUBJECTS && !floods.containsKey(subject)) {
            floods.values().removeIf(flood -> flood.isOver(now));
            if (floods.size() >= MOST_SUBJECTS) {
                return new Subject(subject.logger(), subject.level(), "Others", subject.most());
            }
        }
        return subject;
    }

    private void tellCount(Subject subject) {
        String count;
        synchronized (this) {
            Flood flood = floods.get(subject);
            count = flood == null ? null : flood.count(timeline.nanoTime());
        }
        log(subject, count);
    }

    /**
     * Notes a failure. The first one of an outage is logged in full; further ones are counted until it {@link #works} again.
     *
     * @param what the outage, such as "The message store does not answer"
     * @param which such as a message's id, safe to be logged
     */
    public void fails(Subject what, String which, Runnable inFull) {
        fails(what, which, "", inFull);
    }

    /** @param reason a new reason during the same outage is logged in full too, at most once a minute */
    public void fails(Subject what, String which, String reason, Runnable inFull) {
        boolean begins;
        synchronized (this) {
            begins = outages.computeIfAbsent(what, first -> new Outage()).begins(which, reason, timeline.nanoTime());
            anyOutage = true;
        }
        if (begins) {
            inFull.run();
        }
    }

    /** Notes a success: if there was an outage, its end is logged. */
    public void works(Subject what) {
        if (!anyOutage) {
            return;
        }
        synchronized (this) {
            Outage outage = outages.get(what);
            if (outage == null || !outage.isDown()) {
                return;
            }
            outage.works();
            anyOutage = outages.values().stream().anyMatch(Outage::isDown);
            schedule(outage.plan(timeline.nanoTime()), () -> tellEnd(what), outage::unplan);
        }
    }

    private void tellEnd(Subject what) {
        String end;
        synchronized (this) {
            Outage outage = outages.get(what);
            end = outage == null ? null : outage.end(timeline.nanoTime());
        }
        log(what, end);
    }

    /** Schedules a log line. If no thread is available, the next call tries again: failing to log must not fail the work that is logged. */
    private void schedule(@Nullable Duration in, Runnable task, Runnable unplan) {
        try {
            if (in != null) {
                timeline.schedule(Purpose.UPKEEP, in, task);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            unplan.run();
        }
    }

    private static void log(Subject subject, @Nullable String rest) {
        if (rest != null) {
            subject.logger().atLevel(subject.level()).log("{}: {}", subject.text(), rest);
        }
    }

    /** Logs the pending counts. Called when this node stops. */
    public void close() {
        List<Runnable> lines = new ArrayList<>();
        synchronized (this) {
            long now = timeline.nanoTime();
            floods.forEach((subject, flood) -> add(lines, subject, flood.count(now)));
            outages.forEach((subject, outage) -> add(lines, subject, outage.rest(now)));
        }
        lines.forEach(Runnable::run);
    }

    private static void add(List<Runnable> lines, Subject subject, @Nullable String rest) {
        lines.add(() -> log(subject, rest));
    }
}
