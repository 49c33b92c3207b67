// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.spi.store.RecordRefusedException;
import io.safebunny.spi.store.RecordTooLargeException;

/** What a record that the store refuses for good means for its message: it is set aside. */
final class Refused {

    private Refused() {}

    static InvalidMessageException because(RecordRefusedException e) {
        return because(e, e.messageWithoutCode());
    }

    /** The result of a step, which has been run. */
    static InvalidMessageException step(String name, RecordRefusedException e) {
        return because(
                e,
                "The result of step [%s] cannot be stored. The step has been run, and a replay runs it again. %s"
                        .formatted(name, e.messageWithoutCode()));
    }

    private static InvalidMessageException because(RecordRefusedException e, String explanation) {
        PoisonReason reason = e instanceof RecordTooLargeException ? PoisonReason.TOO_LARGE : PoisonReason.NOT_STORABLE;
        return new InvalidMessageException(reason, explanation, e);
    }
}
