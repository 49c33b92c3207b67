// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

import static io.safebunny.test.simulation.run.Fault.CRASH;
import static io.safebunny.test.simulation.run.Fault.DISCONNECT;
import static io.safebunny.test.simulation.run.Fault.FAIL;
import static io.safebunny.test.simulation.run.Fault.INTERRUPT;
import static io.safebunny.test.simulation.run.Fault.LATE;
import static io.safebunny.test.simulation.run.Fault.LOSE;
import static io.safebunny.test.simulation.run.Fault.REPEAT;
import static io.safebunny.test.simulation.run.Fault.SKEW;
import static io.safebunny.test.simulation.run.Fault.STALL;

import java.util.List;

/** A position in the protocol. */
public enum Place {
    DELIVERED("gets", INTERRUPT, CRASH, STALL, REPEAT, LATE, SKEW),
    BEFORE_READ("is about to read", INTERRUPT, FAIL),
    BEFORE_WRITE("is about to write", INTERRUPT, CRASH, FAIL, DISCONNECT, STALL),
    AFTER_WRITE("has written", INTERRUPT, CRASH, FAIL),
    BEFORE_EFFECT("is about to do", INTERRUPT, CRASH, FAIL, DISCONNECT, STALL),
    AFTER_EFFECT("has done", CRASH, FAIL),
    BEFORE_ALARM("is about to set the alarm", LOSE),
    BEFORE_SEND("is about to send", INTERRUPT, CRASH, FAIL, DISCONNECT, STALL),
    AFTER_SEND("has sent", INTERRUPT, CRASH, FAIL),
    BEFORE_ACKNOWLEDGE("is about to acknowledge", INTERRUPT, CRASH, DISCONNECT, STALL),
    AFTER_ACKNOWLEDGE("has acknowledged", CRASH);

    private final String verb;

    @SuppressWarnings("ImmutableEnumChecker") // immutable, because made by List.of
    private final List<Fault> faults;

    Place(String verb, Fault... faults) {
        this.verb = verb;
        this.faults = List.of(faults);
    }

    /** Faults that can occur here. */
    public List<Fault> faults() {
        return faults;
    }

    /** "is about to write" */
    public String verb() {
        return verb;
    }
}
