// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.handling.Handling;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.TransactionalMessageStore;
import io.safebunny.spi.store.TransactionalMessageStore.Turn;
import java.time.Duration;
import java.util.concurrent.Callable;

/** Handles a message when it is its turn. Waiting is no trouble of the store's: no attempt is spent and no type is paused. */
final class InTurn {

    private InTurn() {}

    /** @throws NotHandledException interrupted before its turn came: the process ends */
    static MessageRecord handle(TransactionalMessageStore store, Handling handling, Callable<MessageRecord> handle)
            throws Exception {
        Turn turn = await(store, handling);
        try {
            return handle.call();
        } finally {
            turn.close();
        }
    }

    private static Turn await(TransactionalMessageStore store, Handling handling) {
        try {
            return store.awaitTurn();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw NotHandledException.later(
                    "Message %s waited for its turn when its thread was interrupted"
                            .formatted(handling.message().id()),
                    Duration.ZERO);
        }
    }
}
