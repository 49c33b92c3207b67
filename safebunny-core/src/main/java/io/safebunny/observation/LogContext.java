// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.safebunny.middleware.ConsumeContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The MDC keys of the message being handled on this thread, and what they were before. */
public record LogContext(
        @Nullable String node,
        @Nullable String messageId,
        @Nullable String correlationId,
        @Nullable String type,
        @Nullable String attempt) {

    private static final String NODE = "safebunny.node";
    private static final String MESSAGE_ID = "safebunny.messageId";
    private static final String CORRELATION_ID = "safebunny.correlationId";
    private static final String TYPE = "safebunny.type";
    private static final String ATTEMPT = "safebunny.attempt";
    private static final String FIRST = "0";

    /**
     * @param node that handles the message
     * @return what was there, to be {@link #restore restored}
     */
    public static LogContext replaceBy(ConsumeContext message, String node) {
        return replaceBy(new LogContext(
                node, message.messageId(), message.correlationId(), message.type(), number(message.attempt())));
    }

    /** Of several messages: what they have in common. */
    public static LogContext replaceByBatch(String type, String node) {
        return replaceBy(new LogContext(node, null, null, type, FIRST));
    }

    private static LogContext replaceBy(LogContext now) {
        LogContext before = new LogContext(
                MDC.get(NODE), MDC.get(MESSAGE_ID), MDC.get(CORRELATION_ID), MDC.get(TYPE), MDC.get(ATTEMPT));
        now.restore();
        return before;
    }

    public void restore() {
        restore(NODE, node);
        restore(MESSAGE_ID, messageId);
        restore(CORRELATION_ID, correlationId);
        restore(TYPE, type);
        restore(ATTEMPT, attempt);
    }

    private static void restore(String key, @Nullable String value) {
        if (value == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, value);
        }
    }

    /** Almost always 0, so that is not formatted each time. */
    private static String number(int attempt) {
        return attempt == 0 ? FIRST : Integer.toString(attempt);
    }
}
