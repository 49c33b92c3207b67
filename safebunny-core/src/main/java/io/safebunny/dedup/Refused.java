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

    static InvalidMessageException because(RecordRefusedException e, String explanation) {
        PoisonReason reason = e instanceof RecordTooLargeException ? PoisonReason.TOO_LARGE : PoisonReason.NOT_STORABLE;
        return new InvalidMessageException(reason, explanation, e);
    }
}
