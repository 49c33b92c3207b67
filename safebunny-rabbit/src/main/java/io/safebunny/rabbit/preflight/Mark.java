// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

/** How one exchange, queue or binding on the broker compares with the plan. */
public enum Mark {
    /** It exists, and is as the node needs it. */
    AS_PLANNED,
    /** The node needs it, and it does not exist. */
    MISSING,
    /** It exists with other properties, or a policy takes effect that harms messages. */
    DIFFERENT,
    /** It exists, and the node does not need it: left over from an earlier version. */
    UNPLANNED,
    /** It has not been compared. */
    UNKNOWN
}
