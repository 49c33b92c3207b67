// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import java.util.Locale;

/** What can fail. */
enum Fault {
    CUT(Victim.NETWORK),
    STALL(Victim.NETWORK),
    REFUSE(Victim.NETWORK),
    CUT_AT_CONFIRM(Victim.NETWORK),
    CUT_AT_ACKNOWLEDGEMENT(Victim.NETWORK),
    MEMORY_ALARM(Victim.BROKER),
    KILL_BROKER(Victim.BROKER),
    /** In a cluster only: alone it is the same as a network that stalls. */
    FREEZE_BROKER(Victim.BROKER),
    CLOSE_CONNECTION(Victim.CONNECTION),
    KILL_CONSUMER(Victim.CONSUMER),
    TERMINATE_CONSUMER(Victim.CONSUMER),
    OPEN_BREAKER(Victim.BREAKER);

    /** Of faults with the same victim there is one at a time. */
    enum Victim {
        NETWORK,
        BROKER,
        CONNECTION,
        CONSUMER,
        BREAKER
    }

    final Victim victim;

    Fault(Victim victim) {
        this.victim = victim;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
