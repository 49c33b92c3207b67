// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import org.slf4j.Logger;

/** Logs failures that come after a message's ending was decided, and so cannot change it. Thread-safe. */
final class AfterTheEnd {

    private final Logger logger;
    private final BoundedLog log;
    private final Subject kind;

    /** @param kind a warning */
    AfterTheEnd(Logger logger, BoundedLog log, Subject kind) {
        this.logger = logger;
        this.log = log;
        this.kind = kind;
    }

    /** Never throws: a handled message must not become poison because memory ran out while logging. */
    void failed(String what, HandledMessage message, Throwable failure) {
        try {
            log.tell(
                    kind,
                    message.delivery.message().message().toString(),
                    () -> logger.warn(
                            "{} [message_id={}]",
                            what,
                            message.messageId(),
                            message.handling.details().logged(failure)));
        } catch (Throwable unlogged) {
            return;
        }
    }
}
