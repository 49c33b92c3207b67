// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.middleware.ConsumeContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The MDC keys of the message being handled on this thread, and what they were before. */
record LogContext(
        @Nullable String messageId,
        @Nullable String correlationId,
        @Nullable String type) {

    private static final String MESSAGE_ID = "safebunny.messageId";
    private static final String CORRELATION_ID = "safebunny.correlationId";
    private static final String TYPE = "safebunny.type";

    /** @return what was there, to be {@link #restore restored} */
    static LogContext replaceBy(ConsumeContext message) {
        LogContext before = new LogContext(MDC.get(MESSAGE_ID), MDC.get(CORRELATION_ID), MDC.get(TYPE));
        new LogContext(message.messageId(), message.correlationId(), message.type()).restore();
        return before;
    }

    void restore() {
        restore(MESSAGE_ID, messageId);
        restore(CORRELATION_ID, correlationId);
        restore(TYPE, type);
    }

    private static void restore(String key, @Nullable String value) {
        if (value == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, value);
        }
    }
}
