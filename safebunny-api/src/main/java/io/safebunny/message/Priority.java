// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import org.jspecify.annotations.Nullable;

/** What quorum queues make of a message's priority: nothing before RabbitMQ 4.0, two classes up to 4.2, an order from 31 to 0 from 4.3. */
public final class Priority {

    public static final int LOWEST = 0;
    public static final int HIGHEST = 31;

    /** That of a message without one. */
    public static final int NORMAL = 4;

    private Priority() {}

    /** Whether it overtakes messages without a priority. */
    public static boolean isHigh(@Nullable Integer priority) {
        return priority != null && priority > NORMAL;
    }
}
