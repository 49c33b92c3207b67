// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.test.scheduler.SimulatedProcess;
import io.safebunny.test.simulation.run.Chooser;
import io.safebunny.test.simulation.run.Event;
import io.safebunny.test.simulation.run.Fault;
import io.safebunny.test.simulation.run.Place;
import io.safebunny.test.simulation.run.Point;
import io.safebunny.test.simulation.run.RunJournal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The points that a run reaches, and the faults that occur there. Confined to the run. */
final class Faults {

    static final Duration SKEW = Duration.ofHours(1);

    private final Chooser chooser;
    private final RunJournal journal;
    private final Map<Point, Integer> occurrences = new HashMap<>();
    // synchronized, because a hanging task may go on while they are copied
    private final List<Point> points = Collections.synchronizedList(new ArrayList<>());
    private final List<Event> events = Collections.synchronizedList(new ArrayList<>());
    private final Duration stall;
    private boolean begun;
    private long fingerprint;

    /** @param stall how long a process pauses in a {@link Fault#STALL} */
    Faults(Chooser chooser, RunJournal journal, Duration stall) {
        this.chooser = chooser;
        this.journal = journal;
        this.stall = stall;
    }

    /** Starts injecting faults. */
    void begin() {
        begun = true;
    }

    /** Stops injecting faults and recording points: from now on the run is only inspected. */
    void end() {
        begun = false;
    }

    List<Point> points() {
        return points;
    }

    /** The faults so far. */
    List<Event> events() {
        return events;
    }

    /** The fingerprint of the run: equal for equal runs, across JVMs. */
    long fingerprint() {
        return fingerprint;
    }

    /**
     * Call when a process reaches a point. If a fault ends the process there, does not return.
     *
     * @return what the caller has to do itself: {@link Fault#FAIL}, {@link Fault#REPEAT}, {@link Fault#LATE} or {@link Fault#LOSE}
     */
    @Nullable
    Fault reach(Instance instance, Place place, String subject) {
        if (!begun) {
            return null;
        }
        SimulatedProcess process = instance.process();
        if (!process.isCalledByTask()) {
            instance.usedFromOutside(place.verb() + " " + subject);
            throw new IllegalStateException("This thread is not part of the simulation");
        }
        Point point = next(process.name(), place, subject);
        points.add(point);
        journal.reached(point);
        Fault fault = chooser.choose(point);
        note(point, fault);
        if (fault == null || (fault == Fault.INTERRUPT && !process.canBeInterrupted())) {
            return null;
        }
        events.add(new Event(point, fault));
        journal.wentWrong(point, fault);
        instance.wentWrong();
        switch (fault) {
            case CRASH -> instance.crash();
            case INTERRUPT -> process.interrupt(point.toString());
            case DISCONNECT -> instance.loseConnection();
            case STALL -> instance.stall(stall);
            case SKEW -> process.skew(SKEW);
            default -> {
                return fault;
            }
        }
        return null;
    }

    private Point next(String process, Place place, String subject) {
        Point first = new Point(process, place, subject, 1);
        int occurrence = occurrences.merge(first, 1, Integer::sum);
        return occurrence == 1 ? first : new Point(process, place, subject, occurrence);
    }

    private void note(Point point, @Nullable Fault fault) {
        long hash = fingerprint;
        hash = 31 * hash + point.process().hashCode();
        hash = 31 * hash + point.place().name().hashCode();
        hash = 31 * hash + point.subject().hashCode();
        hash = 31 * hash + (fault == null ? 0 : fault.name().hashCode());
        fingerprint = hash;
    }
}
