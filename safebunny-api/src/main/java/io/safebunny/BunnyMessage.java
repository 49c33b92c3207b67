// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** How a message type is named on the wire, how long its messages are worth handling, and which go first. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface BunnyMessage {

    /** Name of the type on the wire: {@code [A-Za-z][A-Za-z0-9_$]*}, at most 100 characters; by default the simple class name. */
    String value() default "";

    /**
     * How long a message may be handled, for example {@code 30s}: 1 ms to 365 days, counted from when it is published or, if it is delayed,
     * from when it is due. Read by the node that publishes; {@link PublishOptions#withDeadline} takes precedence. By default messages have no
     * deadline.
     */
    String validFor() default "";

    /** What becomes of a message whose deadline has passed before it was handled. Read by the node that receives it. */
    Expired expired() default Expired.POISON;

    /**
     * Priority of a message, 0 to 31: messages of 5 and more overtake waiting ones without a priority, which count as 4. Read by the node
     * that publishes; {@link PublishOptions#withPriority} takes precedence. By default messages have none. What the broker makes of it
     * depends on its version: see there.
     */
    int priority() default NO_PRIORITY;

    /** No priority. */
    int NO_PRIORITY = -1;

    /** What becomes of an expired message, unless its handler has a method with {@link OnExpired}. */
    enum Expired {
        /** It goes to the poison queue with the reason {@code expired}. A replay handles it: replayed messages have no deadline. */
        POISON,
        /**
         * It is acknowledged and never handled, and there is no copy of it. That is logged, counted by {@code safebunny.expired}, and told by
         * the story of its id.
         */
        DROP
    }
}
